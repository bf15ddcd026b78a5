"""Fire Bulls: a view document (section 11 of the rules page) as text and as a picture.

Both take a seat's view, a spectator's or a whole state document and draw nothing but what is in it.
Piles lie face down in every one of them: only their sizes are drawn.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ..drawing import (
    GOLD,
    INK,
    LINE,
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
from .cards import POINTS, QI_NAMES, YEN_NAMES
from .rules import DIRECTIONS, LAST_TIME, LINES, ROW_LENGTH

PLACES = ("front", "middle", "back")
HIDDEN = "░░"
QI_COLOURS = {
    "g": "#3f9b4f",
    "y": "#e0b52c",
    "r": "#c8423b",
    "b": "#3b6fc4",
    "n": "#8a5a33",
    "*": PAPER,
}
DARK_INK = ("y", "*")  # cards whose letter is dark
WHITE = "#a9a395"  # the edge of a white Yen card
WIDTH, HEIGHT, MARGIN = 960, 720, 20
TOP, LEFT_WIDTH = 72, 390  # below the title: on the left the Yen display and the attack
RIGHT = MARGIN + LEFT_WIDTH + 10  # from here on the Qi cards and the players
RIGHT_WIDTH = WIDTH - MARGIN - RIGHT
QI_HEIGHT = 116
COLUMN, CELL = 76, 66  # distance of the five directions, side of a Yen card
PER_LINE = 10  # names of Yen cards


def now(view: dict[str, Any]) -> str:
    """Return one line on what is to be decided, and by whom."""
    seat = view["to_act"]
    if seat is None:
        return f"the game is over: {view['end']}"
    what = {
        "turn": "takes, draws or attacks",
        "attack": f"pays for {target(view)}",
        "reward": f"may take the reward for {view['reward']}",
        "penalty": "gives up a card for a Warrior",
        "discard": "puts a card back",
    }
    return f"{seat_name(seat)} {what[view['phase']]}"


def target(view: dict[str, Any]) -> str | None:
    """Return the Yen card that the attack meets next, if there is an attack and a card."""
    cell = target_cell(view)
    if cell is not None:
        return view["rows"][cell // ROW_LENGTH][cell % ROW_LENGTH]
    attack = view["attack"]
    general = attack and attack["dir"] == "general" and view["general"] == "aside"
    return YEN_NAMES[YEN_NAMES.index("G")] if general else None


def target_cell(view: dict[str, Any]) -> int | None:
    """Return the cell of that card, row * 3 + place."""
    attack = view["attack"]
    if attack is None or attack["dir"] == "general":
        return None
    line = LINES[DIRECTIONS.index(attack["dir"])].tolist()
    cells = [cell for row in view["rows"] for cell in row]
    return next((cell for cell in line if cells[cell]), None)


def progress(view: dict[str, Any]) -> str:
    """Return the option and how near the end is."""
    times = f"Qi pile run out {view['finished']} of {LAST_TIME} times"
    return f"reach {view['options']['reach']}, {times}, {view['idle']} swaps in a row"


def amounts(cards: Sequence[str | None], names: Sequence[str] = QI_NAMES) -> str:
    """Return a multiset in few characters, such as `2g *`; hidden cards as their number."""
    if None in cards:
        return f"{len(cards)} hidden"
    count = Counter(cards)
    parts = [f"{n if n > 1 else ''}{name}" for name in names if (n := count[name])]
    return " ".join(parts) or "-"


def final_order(view: dict[str, Any]) -> list[int]:
    """Return the seats by score, highest first."""
    return sorted(range(view["players"]), key=lambda seat: -view["scores"][seat])


def attack_lines(view: dict[str, Any]) -> list[str]:
    """Return what there is to say of the attack that is going on."""
    attack = view["attack"]
    if attack is None:
        return []
    aim = "the General" if attack["dir"] == "general" else f"from {attack['dir']}"
    return [
        f"{seat_name(view['to_act'])} attacks {aim}, at most {attack['limit']}",
        f"beaten {amounts(attack['beaten'], YEN_NAMES)}",
        f"paid {' '.join(attack['paid']) or '-'}",
        f"Warriors to atone for: {attack['warriors']}",
    ]


def stolen_lines(view: dict[str, Any], unknown: str) -> list[str]:
    """Return what the General's reward took; `unknown` stands for a card that the view hides."""
    if view["stolen"] is None:
        return []
    by, cards = view["stolen"]["by"], view["stolen"]["cards"]
    took = [f"{seat_name(seat)} {c or unknown}" for seat, c in enumerate(cards) if seat != by]
    return [f"General's reward, {seat_name(by)} took:", ", ".join(took)]


def text(view: dict[str, Any]) -> str:
    """Return the table as plain text, at most 100 columns wide; `░░` is a hidden card."""
    lines = [f"Fire Bulls: {progress(view)}", f"Now: {now(view)}", ""]
    lines += ["Yen cards", *yen_lines(view), ""]
    lines += ["Qi cards", *qi_lines(view), ""]
    if attack := attack_lines(view):
        lines += ["Attack", *(f"  {line}" for line in attack), ""]
    if stolen := stolen_lines(view, HIDDEN):
        lines += [stolen[0], f"  {stolen[1]}", ""]
    lines += ["Players", *player_lines(view), "", "Beaten", *beaten_lines(view)]
    if view["over"]:
        scores = [f"{seat_name(seat)} {view['scores'][seat]}" for seat in final_order(view)]
        lines += ["", f"Final scores: {', '.join(scores)}"]
    return "\n".join(lines) + "\n"


def yen_lines(view: dict[str, Any]) -> list[str]:
    """Return piles, rows and bulls as columns, the diagonals at the sides, then the General."""
    piles = [f"{len(cards)} card{'s' * (len(cards) != 1)}" for cards in view["yen_piles"]]
    rows: list[Sequence[str]] = [("  pile", "", *piles, "")]
    for place in reversed(range(ROW_LENGTH)):
        cards = [row[place] or "-" for row in view["rows"]]
        rows.append((f"  {PLACES[place]}", "", *cards, ""))
    rows.append(("  from", *DIRECTIONS))
    rows.append(("  bull", *(bull_at(view, direction) for direction in DIRECTIONS)))
    removed = amounts(view["removed"], YEN_NAMES)
    return [*table(rows), f"  General {view['general']}", f"  removed {removed}"]


def bull_at(view: dict[str, Any], direction: str) -> str:
    """Return whose bull is there, `-` if nobody's."""
    bulls = view["bulls"]
    return seat_name(bulls.index(direction)) if direction in bulls else "-"


def qi_lines(view: dict[str, Any]) -> list[str]:
    """Return display, discard pile and Qi pile."""
    return [
        f"  display {amounts(view['display'])}",
        f"  discard {amounts(view['discard'])}",
        f"  pile {len(view['qi_pile'])} cards, formed from {amounts(view['pool'])}",
    ]


def player_lines(view: dict[str, Any]) -> list[str]:
    """Return a line for each seat: its score, its hand, what is known of it, its notes."""
    head = ("  player", "colour", "score", "hand", "known", "drew", "notes")
    rows = [
        (
            f"{'>' if seat == view['to_act'] else ' '} {seat_name(seat)}",
            view["colors"][seat],
            f"{view['scores'][seat]:>5}",
            " ".join(HIDDEN if kind is None else kind for kind in view["hands"][seat]) or "-",
            amounts(view["known"][seat]),
            amounts(view["drawn"][seat]),
            notes(view, seat),
        )
        for seat in range(view["players"])
    ]
    return table([head, *rows])


def notes(view: dict[str, Any], seat: int) -> str:
    """Return whether the seat started the game and whether its latest turn was a swap."""
    return ", ".join(["started"] * (seat == view["start"]) + ["swapped"] * view["swapped"][seat])


def beaten_lines(view: dict[str, Any]) -> list[str]:
    """Return a line for each seat: the Yen cards in front of it."""
    return table(
        [
            (f"  {seat_name(seat)}", amounts(cards, YEN_NAMES))
            for seat, cards in enumerate(view["beaten"])
        ]
    )


def svg(view: dict[str, Any]) -> str:
    """Return the table as an SVG document, 960 by 720 pixels."""
    acting = view["to_act"]
    return picture(
        WIDTH,
        HEIGHT,
        f"Fire Bulls: {progress(view)}",
        label(MARGIN, 46, "Fire Bulls", 34, GOLD, bold=True),
        label(178, 46, progress(view), 16, PALE),
        tag(610, 20, 330, 36, now(view), NEUTRAL if acting is None else colour(acting), size=16),
        draw_yen(view),
        draw_attack(view),
        draw_qi(view),
        draw_players(view),
    )


def colour(seat: int) -> str:
    """Return the colour in which a seat is drawn, which is not its own colour in the game."""
    return SEAT_COLOURS[seat]


def column(index: int) -> float:
    """Return the middle of the column of a direction, DL to DR."""
    return MARGIN + LEFT_WIDTH / 2 + COLUMN * (index - 2)


def draw_yen(view: dict[str, Any]) -> str:
    """Draw piles, rows and directions with their bulls, the General and the removed cards."""
    parts = [box(MARGIN, TOP, LEFT_WIDTH, HEIGHT - MARGIN - TOP, radius=10)]
    for row in range(len(view["rows"])):
        x = column(row + 1)
        parts.append(pile(x - 24, TOP + 16, 48, 62, len(view["yen_piles"][row])))
        for place in range(ROW_LENGTH):
            y = TOP + 90 + 74 * (ROW_LENGTH - 1 - place)
            face = view["rows"][row][place]
            parts.append(draw_yen_card(x - CELL / 2, y, face))
            if target_cell(view) == row * ROW_LENGTH + place:
                parts.append(frame(x - CELL / 2, y))
    for index, direction in enumerate(DIRECTIONS):
        parts.append(draw_direction(view, index, direction))
    return "".join(parts) + draw_general(view)


def frame(x: float, y: float) -> str:
    """Draw a frame around a Yen card."""
    return box(x - 4, y - 4, CELL + 8, CELL + 8, "none", 11, stroke=GOLD, stroke_width=3)


def draw_yen_card(x: float, y: float, face: str | None) -> str:
    """Draw a Yen card with its points, or the place for one."""
    if face is None:
        return empty_place(x, y, CELL, CELL)
    points = int(POINTS[YEN_NAMES.index(face)])
    words = f"{points} point" + "s" * (points != 1)
    edge = QI_COLOURS.get(face[1:], WHITE)
    paper = box(x, y, CELL, CELL, PAPER, CELL / 8, stroke=edge, stroke_width=5)
    name = label(x + CELL / 2, y + 36, face, 30, INK, "middle", bold=True)
    note = label(x + CELL / 2, y + CELL - 9, words, 11, INK, "middle")
    return element("g", paper, name, class_="card") + note


def draw_direction(view: dict[str, Any], index: int, direction: str) -> str:
    """Draw one of the five directions, and the bull that is there."""
    x, y = column(index) - 35, TOP + 320
    attack = view["attack"]
    here = attack is not None and attack["dir"] == direction
    parts = [tag(x, y, 70, 24, direction, GOLD if here else LINE, INK if here else PAPER, 15)]
    if direction in view["bulls"]:
        seat = view["bulls"].index(direction)
        parts.append(tag(x, y + 28, 70, 24, seat_name(seat), colour(seat), size=13))
    else:
        parts.append(box(x, y + 28, 70, 24, "none", stroke=LINE, stroke_dasharray="5 4"))
    return "".join(parts)


def draw_general(view: dict[str, Any]) -> str:
    """Draw the General at the side while he is set aside, and where he is."""
    x, y = column(4) - CELL / 2, TOP + 90
    attacked = view["attack"] is not None and view["attack"]["dir"] == "general"
    parts = [draw_yen_card(x, y, "G" if view["general"] == "aside" else None)]
    if attacked and view["general"] == "aside":
        parts.append(frame(x, y))
    parts.append(label(x + CELL / 2, y + CELL + 20, "General", 13, PALE, "middle"))
    parts.append(label(x + CELL / 2, y + CELL + 36, view["general"], 13, PALE, "middle"))
    return "".join(parts)


def draw_attack(view: dict[str, Any]) -> str:
    """Draw what the attack is about, or the final scores, and the removed cards below."""
    y = TOP + 400
    lines = attack_lines(view)
    title = "Attack" if lines else "No attack"
    if view["over"]:
        title = "Final scores"
        ranked = [f"{seat_name(seat)} {view['scores'][seat]}" for seat in final_order(view)]
        lines = [", ".join(ranked[:3]), ", ".join(ranked[3:])]
    if stolen := stolen_lines(view, "?"):  # the font has no shaded box
        lines += ["", *stolen]
    parts = [label(MARGIN + 16, y, title, 17, bold=True)]
    for line in lines:
        y += 19 if line else 9
        parts.append(label(MARGIN + 16, y, line, 13.5, PALE))
    y = HEIGHT - MARGIN - 32
    for line in yen_names("removed", view["removed"]):
        parts.append(label(MARGIN + 16, y, line, 13, PALE))
        y += 17
    return "".join(parts)


def yen_names(title: str, cards: Sequence[str]) -> list[str]:
    """Return a multiset of Yen cards in two lines after a title."""
    names = amounts(cards, YEN_NAMES).split()
    return [" ".join([title, *names[:PER_LINE]]), " ".join(names[PER_LINE:])]


def draw_qi(view: dict[str, Any]) -> str:
    """Draw display, discard pile, Qi pile and what that was formed from, by type."""
    parts = [box(RIGHT, TOP, RIGHT_WIDTH, QI_HEIGHT, radius=10)]
    rows = (("face up", "display"), ("discarded", "discard"), ("pile made of", "pool"))
    for index, (title, key) in enumerate(rows):
        y = TOP + 13 + 33 * index
        parts.append(label(RIGHT + 16, y + 17, title, 14))
        count = Counter(view[key])
        for kind_index, kind in enumerate(QI_NAMES):
            x = RIGHT + 112 + 50 * kind_index
            if count[kind]:
                parts.append(draw_qi_card(x, y, 44, 25, f"{count[kind]} {kind}", 14))
            else:
                parts.append(box(x, y, 44, 25, "none", stroke=LINE, stroke_dasharray="5 4"))
    parts.append(pile(RIGHT + 436, TOP + 22, 52, 70, len(view["qi_pile"])))
    parts.append(label(RIGHT + 462, TOP + 108, "Qi pile", 13, PALE, "middle"))
    return "".join(parts)


def draw_qi_card(x: float, y: float, width: float, height: float, face: str, size: float) -> str:
    """Draw a Qi card, or some of a type, in its colour."""
    kind = face[-1]
    ink = INK if kind in DARK_INK else PAPER
    return tag(x, y, width, height, face, QI_COLOURS[kind], ink, size)


def draw_players(view: dict[str, Any]) -> str:
    """Draw a row for each seat."""
    top = TOP + QI_HEIGHT + 8
    height = (HEIGHT - MARGIN - top + 6) / view["players"] - 6
    parts = []
    for seat in range(view["players"]):
        y = top + seat * (height + 6)
        parts.append(box(RIGHT, y, RIGHT_WIDTH, height, radius=10))
        if seat == view["to_act"]:
            parts.append(
                box(RIGHT, y, RIGHT_WIDTH, height, "none", 10, stroke=GOLD, stroke_width=3)
            )
        parts.append(box(RIGHT + 8, y + 8, 6, height - 16, colour(seat), 3))
        content = draw_seat(view, seat)
        parts.append(element("g", content, transform=f"translate({RIGHT} {y + (height - 88) / 2})"))
    return "".join(parts)


def draw_seat(view: dict[str, Any], seat: int) -> str:
    """Draw a seat's colour, hand, score and cards, inside 520 by 88 pixels."""
    parts = [label(22, 23, seat_name(seat), 18, bold=True)]
    parts.append(label(22, 47, "colour", 13, PALE))
    parts.append(draw_qi_card(62, 34, 24, 18, view["colors"][seat], 13))
    parts.append(label(22, 66, notes(view, seat), 12, GOLD))
    for index, kind in enumerate(view["hands"][seat]):
        x = 130 + 30 * index
        face = None if kind is None else draw_qi_card(x, 4, 26, 34, kind, 18)
        back = card(x, 4, 26, 34, None)
        parts.append(back if face is None else element("g", face, class_="card"))
    parts.append(label(458, 34, view["scores"][seat], 32, anchor="middle", bold=True))
    known, drawn = amounts(view["known"][seat]), amounts(view["drawn"][seat])
    parts.append(label(130, 54, f"known {known}", 12.5, PALE))
    parts.append(label(310, 54, f"drew {drawn}", 12.5, PALE))
    for index, line in enumerate(yen_names("beaten", view["beaten"][seat])):
        parts.append(label(130, 70 + 15 * index, line, 12.5, PALE))
    return "".join(parts)
