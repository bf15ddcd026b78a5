"""Pompiers!: a view document (section 11 of the rules page) as text and as a picture.

Both take a seat's view, a spectator's or a whole state document and draw nothing but what is in it.
Pile, cards set aside and mission pile lie face down in every one of them: only sizes are drawn.
"""

from collections.abc import Iterable
from textwrap import wrap
from typing import Any

from ..drawing import (
    GOLD,
    INK,
    LINE,
    NEUTRAL,
    PALE,
    PANEL,
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
from .missions import MISSIONS, NUM_TRICKS, TILES, TRICKS_BELOW
from .rules import num_rounds
from .schema import winning

WIDTH, HEIGHT, MARGIN = 960, 720, 20
TOP, LEFT_WIDTH = 72, 280  # below the title: on the left table and missions, then the players
TABLE_HEIGHT = 214
MISSIONS_TOP = TOP + TABLE_HEIGHT + 8
RIGHT = MARGIN + LEFT_WIDTH + 10
RIGHT_WIDTH = WIDTH - MARGIN - RIGHT
HOUSE, ROOM_WIDTH = 286, 66  # where the rooms of a seat begin, and how wide one is with its gap
CARD_COLOURS = {"R": "#c8372d", "B": "#2f74c0", "Y": "#e0a800", "K": "#1d2430"}
DEMANDS = ("last trick", "no tricks", "slot", "vertical pairs", "longest run")
SIGNS = ("=1", "=2", "=3", "#3", "#7", "#9", "#R", "R+5", "+R", "+B", "+Y", "-R", "-Y", "-K")
SIGN = dict(zip([name for name, _ in TILES], SIGNS, strict=True))
POINTS = dict(TILES)


def now(view: dict[str, Any]) -> str:
    """Return one line on what is to be decided, and by whom."""
    seat = view["to_act"]
    if seat is None:
        return "the game is over"
    verbs = {"place": "places a card", "trump": "reveals a trump card", "play": "plays a card"}
    return f"{seat_name(seat)} {verbs[view['phase']]}"


def progress(view: dict[str, Any]) -> str:
    """Return which round and trick this is, and how many cards were dealt."""
    parts = [f"round {view['round']} of {num_rounds(view['players'])}"]
    if view["phase"] == "play":
        parts.append(f"trick {len(view['tricks']) + 1} of {NUM_TRICKS}")
    eleven = view["options"]["eleven_cards"] == "on"
    return ", ".join([*parts, "eleven cards" if eleven else "ten cards"])


def play_order(view: dict[str, Any]) -> list[tuple[int, str | None]]:
    """Return (seat, card) of the current trick in the order of play, the leader first."""
    seats = [(view["leader"] + turn) % view["players"] for turn in range(view["players"])]
    faces = [*view["trick"], *[None] * (view["players"] - len(view["trick"]))]
    return list(zip(seats, faces, strict=True))


def winning_seat(view: dict[str, Any]) -> int | None:
    """Return the seat whose card wins the current trick so far, if there is one."""
    if not view["trick"]:
        return None
    return play_order(view)[winning(view["trick"], view["trump_card"])][0]


def final_order(view: dict[str, Any]) -> list[int]:
    """Return the seats by score, highest first."""
    return sorted(range(view["players"]), key=lambda seat: -view["scores"][seat])


def rooms_of(view: dict[str, Any], seat: int) -> list[list[str] | None]:
    """Return the cards in each of the seat's ten rooms, None where it is empty."""
    rooms: list[list[str] | None] = [
        trick["cards"] if trick["winner"] == seat else None for trick in view["tricks"]
    ]
    return rooms + [None] * (NUM_TRICKS - len(rooms))


def marks(view: dict[str, Any], seat: int) -> list[str]:
    """Return which parts the seat has in this round."""
    return [part for part in ("dealer", "leader", "chooser") if view[part] == seat]


def faces(cards: Iterable[str | None]) -> str:
    """Return cards as text; `░░` is a hidden one."""
    return " ".join(f"{face or '░░':<3}" for face in cards).rstrip()


def text(view: dict[str, Any]) -> str:
    """Return the table as plain text, at most 100 columns wide; `░░` is a hidden card."""
    lines = [f"Pompiers!: {progress(view)}", f"Now: {now(view)}", ""]
    lines += ["Table", *table_lines(view), ""]
    lines += ["Players", *player_lines(view), ""]
    lines += ["Rooms", *room_lines(view), ""]
    lines += ["Acquired tiles", *acquired_lines(view), ""]
    lines += ["Missions", *mission_lines(view)]
    if view["last_round"] is not None:
        last = view["last_round"]
        lines += ["", f"Last round: {last['round']}, trump {last['trump_card']}"]
        lines += last_round_lines(last)
    if view["over"]:
        scores = [f"{seat_name(seat)} {view['scores'][seat]}" for seat in final_order(view)]
        lines += ["", f"Final scores: {', '.join(scores)}"]
    return "\n".join(lines) + "\n"


def table_lines(view: dict[str, Any]) -> list[str]:
    """Return the trump card, what lies face down, and a line for each card of the trick."""
    lines = [f"  trump {view['trump_card'] or '-'}; {len(view['pile'])} cards in the pile"]
    if view["aside"]:
        lines[0] += f", {len(view['aside'])} set aside"
    if view["drawn"]:
        lines.append(f"  drawn by {seat_name(view['chooser'])}: {faces(view['drawn'])}")
    best = winning_seat(view)
    rows = [
        (f"  {seat_name(seat)}", f"{face or '-':<3}", "<- wins so far" if seat == best else "")
        for seat, face in play_order(view)
    ]
    return lines if view["over"] else lines + table(rows)


def player_lines(view: dict[str, Any]) -> list[str]:
    """Return a line for each seat: score, chips, what it placed, its hand; then its parts."""
    placing = view["options"]["eleven_cards"] == "on"
    rows: list[tuple[str, ...]] = [
        ("  player", "score", *MISSIONS, *["placed"] * placing, "hand"),
    ]
    for seat in range(view["players"]):
        name = f"{'>' if seat == view['to_act'] else ' '} {seat_name(seat)}"
        chips = ["x" if done else "." for done in view["chips"][seat]]
        placed = [placed_face(view, seat) or "-"] * placing
        hand = faces(view["hands"][seat])
        rows.append((name, f"{view['scores'][seat]:>5}", *chips, *placed, hand or "-"))
    parts = [
        f"  {part} {'-' if view[part] is None else seat_name(view[part])}"
        for part in ("dealer", "leader", "chooser")
    ]
    return [*table(rows), *parts]


def placed_face(view: dict[str, Any], seat: int) -> str | None:
    """Return the card that the seat placed, `░░` if it is hidden, None if there is none."""
    return (view["placed"][seat] or "░░") if has_placed(view, seat) else None


def has_placed(view: dict[str, Any], seat: int) -> bool:
    """Return whether the seat has placed a card in this round."""
    if view["options"]["eleven_cards"] == "off":
        return False
    turn = (seat - view["dealer"]) % view["players"]
    return view["phase"] != "place" or turn < len(view["pile"])


def room_lines(view: dict[str, Any]) -> list[str]:
    """Return a line for each seat with the tricks it took, and one for each trick."""
    rows = []
    for seat in range(view["players"]):
        taken = [
            f"{number:>2}" if cards else " ."
            for number, cards in enumerate(rooms_of(view, seat), 1)
        ]
        upper, lower = taken[:TRICKS_BELOW], taken[TRICKS_BELOW:]
        rows.append((f"  {seat_name(seat)}", " ".join(upper), "|", " ".join(lower)))
    tricks = [
        (
            f"  {number:>2}",
            f"{seat_name(trick['leader'])} leads",
            faces(trick["cards"]),
            f"-> {seat_name(trick['winner'])}",
        )
        for number, trick in enumerate(view["tricks"], 1)
    ]
    return [*table(rows), *table(tricks)] if tricks else table(rows)


def acquired_lines(view: dict[str, Any]) -> list[str]:
    """Return a line or two for each seat with the tiles it has acquired."""
    return [
        line
        for seat in range(view["players"])
        for line in listed(f"  {seat_name(seat)}  ", view["acquired"][seat])
    ]


def listed(start: str, tiles: list[str]) -> list[str]:
    """Return `start` and tiles with their points, in lines of at most 100 columns."""
    content = ", ".join(f"{tile} ({POINTS[tile]})" for tile in tiles) or "-"
    indent = " " * len(start)
    return wrap(content, 100, initial_indent=start, subsequent_indent=indent)


def mission_lines(view: dict[str, Any]) -> list[str]:
    """Return the five basic missions, then the tiles open, set aside and face down."""
    basic = [
        f"{name} {view['slot_tile'] if demand == 'slot' else demand}"
        for name, demand in zip(MISSIONS, DEMANDS, strict=True)
    ]
    return [
        f"  basic:     {'; '.join(basic)}",
        *listed("  emergency: ", view["emergency"]),
        *listed("  set aside: ", view["set_aside"]),
        f"  face down: {len(view['mission_pile'])} tiles",
    ]


def last_round_lines(last: dict[str, Any]) -> list[str]:
    """Return who met each mission of a finished round, and who got something for it."""
    rows = []
    for name, basic in zip(MISSIONS, last["basic"], strict=True):
        rows.append((f"  {name}", f"met by {names(basic['met'])}", names(basic["flipped"])))
    for one in last["emergency"]:
        winner = [] if one["winner"] is None else [one["winner"]]
        rows.append((f"  {one['tile']}", f"met by {names(one['met'])}", names(winner)))
    return table([("  mission", "", "chip or tile for"), *rows])


def names(seats: list[int]) -> str:
    """Return the names of some seats, `-` for none."""
    return " ".join(map(seat_name, seats)) or "-"


def svg(view: dict[str, Any]) -> str:
    """Return the table as an SVG document, 960 by 720 pixels."""
    acting = view["to_act"]
    fill = NEUTRAL if acting is None else SEAT_COLOURS[acting]
    return picture(
        WIDTH,
        HEIGHT,
        f"Pompiers!: {progress(view)}",
        label(MARGIN, 46, "Pompiers!", 34, GOLD, bold=True),
        label(190, 46, progress(view), 17, PALE),
        tag(600, 20, 340, 36, now(view), fill, size=17),
        draw_table(view),
        draw_missions(view),
        draw_players(view),
    )


def face_card(x: float, y: float, width: float, height: float, face: str | None) -> str:
    """Return a card whose edge has its colour, or its back."""
    return card(x, y, width, height, face, CARD_COLOURS[face[0]] if face else LINE)


def draw_table(view: dict[str, Any]) -> str:
    """Draw the trick in the order of play (or the final scores), below it trump card and piles."""
    parts = [box(MARGIN, TOP, LEFT_WIDTH, TABLE_HEIGHT, radius=10)]
    title = "Final scores" if view["over"] else "Trick"
    parts.append(label(MARGIN + 14, TOP + 23, title, 16, bold=True))
    order = play_order(view)
    if view["over"]:
        order = [(seat, str(view["scores"][seat])) for seat in final_order(view)]
    best = winning_seat(view)
    for index, (seat, face) in enumerate(order):
        x = MARGIN + LEFT_WIDTH / 2 + 54 * (index - len(order) / 2) + 4
        y = TOP + 36
        if view["over"]:
            parts.append(label(x + 23, y + 46, face, 32, anchor="middle", bold=True))
        elif face is None:
            parts.append(empty_place(x, y, 46, 62))
        else:
            parts.append(face_card(x, y, 46, 62, face))
        if seat == best:
            parts.append(box(x - 3, y - 3, 52, 68, "none", 8, stroke=GOLD, stroke_width=3))
        parts.append(tag(x - 2, y + 70, 50, 18, seat_name(seat), SEAT_COLOURS[seat], size=10.5))
    below = draw_piles(view)
    parts.append(element("g", below, transform=f"translate({MARGIN} {TOP + 138})"))
    return "".join(parts)


def draw_piles(view: dict[str, Any]) -> str:
    """Draw trump card, pile, cards set aside and the drawn ones, inside 280 by 70 pixels."""
    parts = [label(31, 10, "trump", 12, PALE, "middle")]
    trump = view["trump_card"]
    parts.append(face_card(14, 18, 34, 46, trump) if trump else empty_place(14, 18, 34, 46))
    parts.append(label(82, 10, "pile", 12, PALE, "middle"))
    parts.append(pile(65, 18, 34, 46, len(view["pile"])))
    if view["options"]["eleven_cards"] == "on":
        parts.append(label(133, 10, "aside", 12, PALE, "middle"))
        parts.append(pile(116, 18, 34, 46, len(view["aside"])))
    if view["drawn"]:
        parts.append(label(217, 10, f"drawn by {seat_name(view['chooser'])}", 12, PALE, "middle"))
        for index, face in enumerate(view["drawn"]):
            parts.append(face_card(162 + 38 * index, 18, 34, 46, face))
    return "".join(parts)


def draw_missions(view: dict[str, Any]) -> str:
    """Draw the basic missions with who met them in the last round, then all tiles in sight."""
    height = HEIGHT - MARGIN - MISSIONS_TOP
    parts = [box(0, 0, LEFT_WIDTH, height, radius=10)]
    parts.append(label(14, 22, "Basic missions", 15, bold=True))
    last = view["last_round"]
    if last is not None:
        title = f"met, flipped in round {last['round']}"
        parts.append(label(LEFT_WIDTH - 10, 22, title, 12, PALE, "end"))
    results = last["basic"] if last else [{"met": [], "flipped": []}] * len(MISSIONS)
    for index, (name, demand) in enumerate(zip(MISSIONS, DEMANDS, strict=True)):
        y = 32 + 22 * index
        slot = view["slot_tile"]
        parts.append(tag(14, y, 36, 18, name, NEUTRAL))
        if demand == "slot":
            parts.append(tag(58, y, 26, 18, SIGN[slot], GOLD, INK, 10))
        words = slot if demand == "slot" else demand
        parts.append(label(90 if demand == "slot" else 58, y + 13.5, words, 13))
        for place, seat in enumerate(results[index]["met"]):
            edge = GOLD if seat in results[index]["flipped"] else PANEL
            x = LEFT_WIDTH - 26 - 18 * place
            parts.append(box(x, y + 2, 14, 14, SEAT_COLOURS[seat], 3, stroke=edge, stroke_width=2))
    count = len(view["mission_pile"])
    parts.append(label(14, 162, "Emergency", 15, bold=True))
    parts.append(label(LEFT_WIDTH / 2 + 4, 162, "Set aside", 15, bold=True))
    parts.append(label(LEFT_WIDTH - 10, 162, f"{count} to come", 12, PALE, "end"))
    for x, key in ((14, "emergency"), (LEFT_WIDTH / 2 + 4, "set_aside")):
        for index, tile in enumerate(view[key]):
            y = 170 + 18 * index
            parts.append(tag(x, y, 26, 16, SIGN[tile], GOLD, INK, 10))
            parts.append(label(x + 32, y + 12.5, f"{tile}: {POINTS[tile]}", 12.5))
    return element("g", *parts, transform=f"translate({MARGIN} {MISSIONS_TOP})")


def draw_players(view: dict[str, Any]) -> str:
    """Draw a row for each seat."""
    height = (HEIGHT - MARGIN - TOP + 6) / view["players"] - 6
    parts = []
    for seat in range(view["players"]):
        y = TOP + seat * (height + 6)
        parts.append(box(RIGHT, y, RIGHT_WIDTH, height, radius=10))
        if seat == view["to_act"]:
            parts.append(
                box(RIGHT, y, RIGHT_WIDTH, height, "none", 10, stroke=GOLD, stroke_width=3)
            )
        parts.append(box(RIGHT + 5, y + 8, 5, height - 16, SEAT_COLOURS[seat], 2))
        content = draw_seat(view, seat)
        parts.append(
            element("g", content, transform=f"translate({RIGHT} {y + (height - 120) / 2})")
        )
    return "".join(parts)


def draw_seat(view: dict[str, Any], seat: int) -> str:
    """Draw a seat's name, score, hand, tiles, chips and rooms, inside 630 by 120 pixels."""
    parts = [label(18, 24, seat_name(seat), 17, bold=True)]
    parts.append(label(96, 24, ", ".join(marks(view, seat)), 12, GOLD))
    parts.append(label(274, 26, view["scores"][seat], 24, anchor="end", bold=True))
    for index, face in enumerate(view["hands"][seat]):
        parts.append(face_card(18 + 36 * (index % 6), 34 + 30 * (index // 6), 33, 26, face))
    if has_placed(view, seat):
        parts.append(label(257, 56, "placed", 11, PALE, "middle"))
        parts.append(face_card(241, 64, 33, 26, view["placed"][seat]))
    for index, tile in enumerate(view["acquired"][seat]):
        parts.append(tag(18 + 20 * index, 96, 18.5, 17, SIGN[tile], GOLD, INK, 9))
    for mission, name in enumerate(MISSIONS):
        x = HOUSE + ROOM_WIDTH * mission
        done = view["chips"][seat][mission]
        fill, ink = (GOLD, INK) if done else (LINE, PALE)
        parts.append(tag(x, 51, ROOM_WIDTH - 4, 18, name, fill, ink, 12))
    for room, cards in enumerate(rooms_of(view, seat)):
        x = HOUSE + ROOM_WIDTH * (room % TRICKS_BELOW)
        parts.append(draw_room(x, 6 if room < TRICKS_BELOW else 72, room + 1, cards, seat))
    return "".join(parts)


def draw_room(x: float, y: float, number: int, cards: list[str] | None, seat: int) -> str:
    """Draw a room, 62 by 42 pixels: its number and the cards of the trick."""
    if cards is None:
        return empty_place(x, y, ROOM_WIDTH - 4, 42) + label(
            x + 31, y + 26, number, 14, LINE, "middle", bold=True
        )
    lines = (cards[:2], cards[2:])
    return "".join(
        [
            box(x, y, ROOM_WIDTH - 4, 42, SEAT_COLOURS[seat], 5),
            label(x + 4, y + 17, number, 13, GOLD, bold=True),
            label(x + 58, y + 17, " ".join(lines[0]), 11, anchor="end"),
            label(x + 58, y + 34, " ".join(lines[1]), 11, anchor="end"),
        ]
    )
