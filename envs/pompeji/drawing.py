"""Pompeji: a view document (section 11 of the rules page) as text and as a picture.

Both take a seat's view, a spectator's or a whole state document and draw nothing but what is in it.
The stack lies face down in every one of them: only its size is drawn.
"""

import textwrap
from typing import Any

from ..drawing import (
    GOLD,
    INK,
    NEUTRAL,
    PALE,
    PAPER,
    SEAT_COLOURS,
    box,
    card,
    element,
    empty_place,
    label,
    picture,
    pile,
    seat_name,
    table,
    tag,
)
from .document import FACES, NUM_VOLCANOES, STATUE_NAME
from .town import BUILDINGS, COLOURS, NUMBERS, SIDE, SPAN

BUILDING_NAMES = ("arch", "bath", "fountain", "granary", "market", "temple", "villa")
A_BUILDING = tuple(f"a{'n' * (name == 'arch')} {name}" for name in BUILDING_NAMES)
FILLS = ("#c9414f", "#e38a2e", "#f1d04b", "#4c9f56", "#3f78c4", "#8a5bc0", "#f4f1e8")
INKS = (PAPER, INK, INK, PAPER, PAPER, PAPER, INK)
STONE, PARCHMENT = "#8f969f", "#d9c9a3"  # statues, permits
WIDTH, HEIGHT, MARGIN = 960, 720, 20
TOP, TOWN_WIDTH = 72, 600  # below the title: on the left the town
RIGHT = MARGIN + TOWN_WIDTH + 12  # from here on the stack and the players
RIGHT_WIDTH = WIDTH - MARGIN - RIGHT
TILE, AXIS = 70, 26  # a cell of the town, the strip with row and column numbers
STACK_HEIGHT = 156
HAND_TILE = 46
DISCARDS_A_LINE = 12


def number(view: dict[str, Any], name: str) -> int:
    """Return the number printed on a building card."""
    kind = ("latin", "building").index(view["options"]["values"])
    return int(NUMBERS[kind, FACES[name]])


def face(view: dict[str, Any], name: str | None) -> str:
    """Return a card with its number, a statue as it is, a hidden card as `░░`."""
    if name is None:
        return "░░"
    return name if name == STATUE_NAME else f"{name}{number(view, name)}"


def now(view: dict[str, Any]) -> str:
    """Return one line on what is to be decided, and by whom."""
    seat, phase, chosen = view["to_act"], view["phase"], view["card"]
    if seat is None:
        return "the game is over"
    name = seat_name(seat)
    if phase == "permit":
        return f"{name} may use a permit before {seat_name(view['turn'])}'s turn"
    if phase == "play":
        return f"{name} chooses what to lay" + (" in an extra turn" if view["extra"] else "")
    if phase == "cell":
        thing = {None: "its card", STATUE_NAME: "its statue"}.get(chosen, chosen)
        return f"{name} chooses a cell for {thing}"
    if phase == "draw":
        return f"{name} may draw a card"
    what = "its statue"
    if view["cell"] is not None:
        what += " at {},{}".format(*divmod(view["cell"], SIDE))
    if view["building"] is not None:
        what += f", {A_BUILDING[BUILDINGS.index(view['building'])]}"
    return f"{name} declares a {phase} for {what}"


def progress(view: dict[str, Any]) -> str:
    """Return the options and whether this is an extra turn."""
    permits = view["options"]["permits"]
    parts = ["numbers by building" if view["options"]["values"] == "building" else "latin numbers"]
    parts.append(f"{permits} permit{'s' * (permits > 1)} each")
    return ", ".join(parts + ["extra turn"] * view["extra"])


def mark(view: dict[str, Any], seat: int) -> str:
    """Return whose turn it is: `turn`, or `next` where somebody acts before it."""
    if seat != view["turn"] or view["over"]:
        return ""
    return "next" if view["phase"] == "permit" or view["extra"] else "turn"


def extent(view: dict[str, Any]) -> tuple[range, range]:
    """Return the rows and the columns of the town and around it, where cards may be laid."""
    places = [divmod(cell, SIDE) for cell, _ in view["town"]]
    rows, columns = ([place[axis] for place in places] for axis in (0, 1))
    return tuple(
        range(
            max(min(line) - 1, max(line) - SPAN + 1), min(max(line) + 1, min(line) + SPAN - 1) + 1
        )
        for line in (rows, columns)
    )  # type: ignore[return-value]


def free_cells(view: dict[str, Any]) -> set[int]:
    """Return the empty cells beside the town that keep it within 7 x 7 (6)."""
    town = {cell for cell, _ in view["town"]}
    rows, columns = extent(view)
    cells = {SIDE * row + column: (row, column) for row in rows for column in columns}
    return {
        cell
        for cell, (_, column) in cells.items()
        if cell not in town
        and (
            {cell + SIDE, cell - SIDE} & town
            or (column > 0 and cell - 1 in town)
            or (column < SIDE - 1 and cell + 1 in town)
        )
    }


def final_order(view: dict[str, Any]) -> list[int]:
    """Return the seats by score, highest first."""
    return sorted(range(view["players"]), key=lambda seat: -view["scores"][seat])


# Text


def text(view: dict[str, Any]) -> str:
    """Return the table as plain text, at most 100 columns wide; `░░` is a hidden card."""
    discards = " ".join(face(view, name) for name in view["discards"]) or "-"
    lines = [f"Pompeji: {progress(view)}", f"Now: {now(view)}", ""]
    lines += ["Town (+ free cell, ? chosen cell)", *town_lines(view), ""]
    lines += ["Players", *player_lines(view), ""]
    lines.append(
        f"Stack: {len(view['stack'])} cards; volcanoes: {view['volcanoes']} of {NUM_VOLCANOES}"
    )
    lines += textwrap.wrap(f"Discards: {discards}", 98, subsequent_indent="  ")
    if view["over"]:
        scores = [f"{seat_name(seat)} {view['scores'][seat]}" for seat in final_order(view)]
        lines += ["", f"Final scores: {', '.join(scores)}"]
    return "\n".join(lines) + "\n"


def town_lines(view: dict[str, Any]) -> list[str]:
    """Return a line for each row of the town, under the numbers of the columns."""
    rows, columns = extent(view)
    town, free = dict(view["town"]), free_cells(view)
    lines: list[list[str]] = [["   ", *(f"{column:<3}" for column in columns)]]
    for row in rows:
        line = [f"{row:>3}"]
        for column in columns:
            cell = SIDE * row + column
            name = town.get(cell)
            line.append(face(view, name) if name else "+" if cell in free else ".")
            if cell == view["cell"]:
                line[-1] = "?" + (view["building"] or "")
        lines.append(line)
    return table(lines)


def player_lines(view: dict[str, Any]) -> list[str]:
    """Return a line for each seat: its hand, score, statue and permits."""
    head = ("  player", "", "hand", "chosen", "score", "statue", "permits")
    rows = [
        (
            f"{'>' if seat == view['to_act'] else ' '} {seat_name(seat)}",
            mark(view, seat),
            " ".join(face(view, name) for name in view["hands"][seat]) or "-",
            face(view, view["card"]) if seat == view["to_act"] and view["card"] else "",
            f"{view['scores'][seat]:>5}",
            f"{view['statues'][seat]:>6}",
            f"{view['permits'][seat]:>7}",
        )
        for seat in range(view["players"])
    ]
    return table([head, *rows])


# Picture


def svg(view: dict[str, Any]) -> str:
    """Return the table as an SVG document, 960 by 720 pixels."""
    acting = view["to_act"]
    return picture(
        WIDTH,
        HEIGHT,
        f"Pompeji: {progress(view)}",
        label(MARGIN, 46, "Pompeji", 34, GOLD, bold=True),
        label(160, 46, progress(view), 14, PALE),
        tag(
            460, 20, 480, 36, now(view), NEUTRAL if acting is None else SEAT_COLOURS[acting],
            size=15,
        ),
        draw_town(view),
        draw_stack(view),
        draw_players(view),
    )  # fmt: skip


def tile(x: float, y: float, size: float, view: dict[str, Any], name: str | None) -> str:
    """Return a square card: name, number, building; a statue; or the back of a hidden card."""
    if name is None:
        return card(x, y, size, size, None)
    middle, line = x + size / 2, "#1d243066"
    if name == STATUE_NAME:
        content = box(x, y, size, size, STONE, size / 8, stroke=line)
        content += label(middle, y + 0.58 * size, STATUE_NAME, 0.44 * size, INK, "middle", True)
        words = "statue"
        ink = INK
    else:
        colour, building = COLOURS.index(name[1]), BUILDINGS.index(name[0])
        ink, words = INKS[colour], BUILDING_NAMES[building]
        content = box(x, y, size, size, FILLS[colour], size / 8, stroke=line)
        content += label(x + 0.1 * size, y + 0.58 * size, name, 0.34 * size, ink, bold=True)
        content += label(
            x + 0.9 * size, y + 0.58 * size, number(view, name), 0.46 * size, ink, "end", True
        )
    content += label(middle, y + 0.86 * size, words, 0.2 * size, ink, "middle")
    return element("g", content, class_="card")


def draw_town(view: dict[str, Any]) -> str:
    """Draw the town with the numbers of rows and columns, free cells and the chosen cell."""
    height = HEIGHT - MARGIN - TOP
    parts = [box(MARGIN, TOP, TOWN_WIDTH, height, radius=10)]
    rows, columns = extent(view)
    left = MARGIN + (TOWN_WIDTH - AXIS - TILE * len(columns)) / 2 + AXIS
    top = TOP + (height - AXIS - TILE * len(rows)) / 2 + AXIS
    for index, column in enumerate(columns):
        parts.append(label(left + TILE * (index + 0.5), top - 8, column, 15, PALE, "middle"))
    for index, row in enumerate(rows):
        parts.append(label(left - 10, top + TILE * (index + 0.5) + 5, row, 15, PALE, "end"))
    town, free = dict(view["town"]), free_cells(view)
    for down, row in enumerate(rows):
        for across, column in enumerate(columns):
            cell, x, y = SIDE * row + column, left + TILE * across, top + TILE * down
            if cell in town:
                parts.append(tile(x + 2, y + 2, TILE - 4, view, town[cell]))
            elif cell in free:
                parts.append(empty_place(x + 4, y + 4, TILE - 8, TILE - 8))
            if cell == view["cell"]:
                parts.append(draw_chosen_cell(x, y, view["building"]))
    return "".join(parts)


def draw_chosen_cell(x: float, y: float, building: str | None) -> str:
    """Draw the cell that is chosen for a statue, with the building declared so far."""
    middle = x + TILE / 2
    parts = [box(x + 3, y + 3, TILE - 6, TILE - 6, "none", 9, stroke=GOLD, stroke_width=3)]
    parts.append(label(middle, y + 40, (building or "") + "?", 26, GOLD, "middle", True))
    return "".join(parts)


def draw_stack(view: dict[str, Any]) -> str:
    """Draw the stack, the volcanoes and the discards."""
    parts = [box(RIGHT, TOP, RIGHT_WIDTH, STACK_HEIGHT, radius=10)]
    parts.append(pile(RIGHT + 16, TOP + 34, 46, 58, len(view["stack"])))
    parts.append(label(RIGHT + 16, TOP + 23, "stack", 13, PALE))
    parts.append(label(RIGHT + 90, TOP + 23, "volcanoes", 13, PALE))
    for index in range(NUM_VOLCANOES):
        x = RIGHT + 90 + 44 * index
        shown = index < view["volcanoes"]
        mountain = element(
            "path",
            d=f"M{x} {TOP + 88} L{x + 13} {TOP + 50} L{x + 23} {TOP + 50} L{x + 36} {TOP + 88} Z",
            fill="#8c2f39" if shown else "none",
            stroke="#8c2f39" if shown else "#4a5569",
            stroke_width=2,
            class_="volcano" if shown else "no-volcano",
        )
        parts.append(mountain)
    if view["over"]:
        parts.append(label(RIGHT + 196, TOP + 76, "the end", 20, GOLD, bold=True))
    discards = [face(view, name) for name in view["discards"]]
    parts.append(label(RIGHT + 16, TOP + 112, f"discards: {len(discards)}", 13, PALE))
    for line in range(0, len(discards), DISCARDS_A_LINE):
        y = TOP + 125 + 9 * (line // DISCARDS_A_LINE)
        words = " ".join(discards[line : line + DISCARDS_A_LINE])
        parts.append(label(RIGHT + 16, y, words, 9.5, PAPER))
    return "".join(parts)


def draw_players(view: dict[str, Any]) -> str:
    """Draw a box for each seat."""
    top = TOP + STACK_HEIGHT + 8
    height = (HEIGHT - MARGIN - top + 8) / view["players"] - 8
    parts = []
    for seat in range(view["players"]):
        y = top + seat * (height + 8)
        parts.append(box(RIGHT, y, RIGHT_WIDTH, height, radius=10))
        if seat == view["to_act"]:
            frame = box(RIGHT, y, RIGHT_WIDTH, height, "none", 10, stroke=GOLD, stroke_width=3)
            parts.append(frame)
        parts.append(box(RIGHT + 8, y + 8, 6, height - 16, SEAT_COLOURS[seat], 3))
        place = f"translate({RIGHT} {y + (height - 100) / 2})"
        parts.append(element("g", draw_seat(view, seat), transform=place))
    return "".join(parts)


def draw_seat(view: dict[str, Any], seat: int) -> str:
    """Draw a seat's hand, score, statue and permits, inside 308 by 100 pixels."""
    parts = [label(22, 26, seat_name(seat), 18, bold=True)]
    if mark(view, seat):
        parts.append(tag(108, 12, 40, 18, mark(view, seat), PALE, INK, 12))
    parts.append(label(294, 30, view["scores"][seat], 28, anchor="end", bold=True))
    acting = seat == view["to_act"]
    for index, name in enumerate(view["hands"][seat]):
        x = 22 + (HAND_TILE + 6) * index
        parts.append(tile(x, 42, HAND_TILE, view, name))
        if acting and name is not None and name == view["card"]:
            parts.append(
                box(x - 2, 40, HAND_TILE + 4, HAND_TILE + 4, "none", 7, stroke=GOLD, stroke_width=3)
            )
    chosen = acting and view["card"] == STATUE_NAME
    if view["statues"][seat]:
        parts.append(tag(188, 46, 54, 18, "statue", GOLD if chosen else STONE, INK, 12))
    permits = range(view["permits"][seat])
    parts += [tag(188 + 56 * index, 68, 54, 18, "permit", PARCHMENT, INK, 12) for index in permits]
    return "".join(parts)
