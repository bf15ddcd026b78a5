"""Pumafiosi: a view document (section 11 of the rules page) as text and as a picture.

Both take a seat's view, a spectator's or a whole state document and draw nothing but what is in it.
Piles and decks lie face down in every one of them: only their sizes are drawn.
"""

from typing import Any

from ..drawing import (
    GOLD,
    INK,
    NEUTRAL,
    PALE,
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
from .rules import CASUALTY, NUM_ROUNDS, STEP_VALUES

AGES = ("oldest", "2nd oldest", "3rd oldest", "4th oldest", "5th oldest")
WIDTH, HEIGHT, MARGIN = 960, 720, 20
TOP, COLUMN_WIDTH = 72, 410  # below the title: on the left the hierarchy
RIGHT = MARGIN + COLUMN_WIDTH + MARGIN  # from here on the table and the players
RIGHT_WIDTH = WIDTH - MARGIN - RIGHT
STEP_HEIGHT = 56
TABLE_HEIGHT = 178
RED = "#8c2f39"


def name(seat: int | None) -> str:
    """Return the name of a seat, or Tony's for None."""
    return "Tony" if seat is None else seat_name(seat)


def colour(seat: int | None) -> str:
    """Return the colour of a seat, or Tony's for None."""
    return NEUTRAL if seat is None else SEAT_COLOURS[seat]


def words(item: str) -> str:
    """Return an item as the rulebook writes it."""
    return item.replace("_", " ")


def now(view: dict[str, Any]) -> str:
    """Return one line on what is to be decided, and by whom."""
    seat = view["to_act"]
    if seat is None:
        return "the match is over"
    if view["phase"] == "ring":
        return f"{name(seat)} may add the ring to the {view['ring_target']}"
    if view["phase"] == "place":
        return f"{name(seat)} places the {view['table'][seat]['card']}"
    return f"{name(seat)} plays a card"


def progress(view: dict[str, Any]) -> str:
    """Return which game and round this is, and whether items are in play."""
    items = "with items" if view["options"]["items"] else "without items"
    games = view["options"]["games"]
    return f"game {view['game_number']} of {games}, round {view['round']} of {NUM_ROUNDS}, {items}"


def play_order(view: dict[str, Any]) -> list[tuple[int | None, str | None, bool]]:
    """Return (seat, card, machine gun) in this round's order of play, Tony (None) first."""
    players, start = view["players"], view["start_seat"]
    order: list[tuple[int | None, str | None, bool]] = []
    if players == 2:
        order.append((None, view["tony_card"], False))
    for seat in (turn % players for turn in range(start, start + players)):
        lying = view["table"][seat] or {"card": None, "gun": False}
        order.append((seat, lying["card"], lying["gun"]))
    return order


def final_order(view: dict[str, Any]) -> list[int]:
    """Return the seats by score, highest first."""
    return sorted(range(view["players"]), key=lambda seat: -view["scores"][seat])


def undealt(view: dict[str, Any]) -> str:
    """Return whose the undealt cards are, and how many."""
    owner = "Tony's deck" if view["players"] == 2 else "undealt"
    return f"{owner}: {len(view['deck'])} cards"


def all_played(view: dict[str, Any]) -> list[tuple[int | None, list[str]]]:
    """Return (seat, cards it has played in this game), Tony (None) last where he plays."""
    plays: list[tuple[int | None, list[str]]] = list(enumerate(view["played"]))
    return [*plays, (None, view["tony_played"])] if view["players"] == 2 else plays


def won(view: dict[str, Any], seat: int | None) -> bool:
    """Return whether this seat's card on the table won the round and is to be placed."""
    return view["phase"] == "place" and seat is not None and seat == view["to_act"]


def text(view: dict[str, Any]) -> str:
    """Return the table as plain text, at most 100 columns wide; `░░` is a hidden card."""
    started = f"started by {name(view['start_seat'])}; {undealt(view)}"
    plays = [(f"  {name(seat)}", " ".join(cards) or "-") for seat, cards in all_played(view)]
    lines = [f"Pumafiosi: {progress(view)}", f"Now: {now(view)}", ""]
    lines += ["Hierarchy", *hierarchy_lines(view), ""]
    lines += [f"Table ({started})", *table_lines(view), ""]
    lines += ["Players", *player_lines(view), ""]
    lines += ["Played in this game", *table(plays)]
    if view["over"]:
        scores = [f"{name(seat)} {view['scores'][seat]}" for seat in final_order(view)]
        lines += ["", f"Final scores: {', '.join(scores)}"]
    return "\n".join(lines) + "\n"


def hierarchy_lines(view: dict[str, Any]) -> list[str]:
    """Return a line for each placed card and each empty step: value, card, owner, item."""
    rows = []
    for value, entries in zip(STEP_VALUES, view["hierarchy"], strict=True):
        if not entries:
            rows.append((f"{value:>4}", " -", "", "", ""))
        for index, entry in enumerate(entries):
            item, co_owner = entry["item"] or "", entry["co_owner"]
            rows.append(
                (
                    "" if index else f"{value:>4}",
                    f"{entry['card']:>2}",
                    name(entry["owner"]),
                    item if co_owner is None else f"{item} of {name(co_owner)}",
                    "<- may get the ring" if entry["card"] == view["ring_target"] else "",
                )
            )
    return table(rows)


def table_lines(view: dict[str, Any]) -> list[str]:
    """Return a line for each card of this round, in the order of play."""
    rows = []
    for seat, face, gun in play_order(view):
        notes = ["with machine gun"] * gun + ["<- wins the round"] * won(view, seat)
        rows.append((f"  {name(seat)}", f"{face or '-':>2}", " ".join(notes)))
    return table(rows)


def player_lines(view: dict[str, Any]) -> list[str]:
    """Return a line for each seat: its hand, its points, what it has left."""
    head = ("  player", "age", "hand", "pile", "score", "wealth", "penalty", "unused items")
    rows = [
        (
            f"{'>' if seat == view['to_act'] else ' '} {name(seat)}",
            AGES[view["age_order"].index(seat)],
            " ".join("░░" if face is None else f"{face:>2}" for face in view["hands"][seat]),
            f"{len(view['piles'][seat]):>4}",
            f"{view['scores'][seat]:>5}",
            f"{view['wealth'][seat]:>6}",
            f"{view['penalty'][seat]:>7}",
            ", ".join(map(words, view["items"][seat])) or "-",
        )
        for seat in range(view["players"])
    ]
    return table([head, *rows])


def svg(view: dict[str, Any]) -> str:
    """Return the table as an SVG document, 960 by 720 pixels."""
    acting = view["to_act"]
    return picture(
        WIDTH,
        HEIGHT,
        f"Pumafiosi: {progress(view)}",
        label(MARGIN, 46, "Pumafiosi", 34, GOLD, bold=True),
        label(190, 46, progress(view), 17, PALE),
        tag(600, 20, 340, 36, now(view), NEUTRAL if acting is None else colour(acting), size=17),
        draw_hierarchy(view),
        draw_middle(view),
        draw_players(view),
    )


def draw_hierarchy(view: dict[str, Any]) -> str:
    """Draw the column of nine steps, the casualty card at the foot with room for ten cards."""
    height = HEIGHT - MARGIN - TOP
    casualty_top = TOP + 8 + STEP_HEIGHT * CASUALTY
    casualty_height = TOP + height - 8 - casualty_top
    x = MARGIN + 72
    parts = [box(MARGIN, TOP, COLUMN_WIDTH, height, radius=10)]
    for step in range(CASUALTY):
        y = TOP + 8 + STEP_HEIGHT * step
        gold = f"hsl(43, {68 - 6 * step}%, {52 - 3 * step}%)"  # fading on the way down
        parts.append(tag(MARGIN + 8, y, 54, STEP_HEIGHT - 6, STEP_VALUES[step], gold, size=26))
        entries = view["hierarchy"][step]
        parts += [draw_entry(x, y + 3, entry, view["ring_target"], 2) for entry in entries]
        parts += [] if entries else [empty_place(x, y + 3, 56, 44)]
    value = STEP_VALUES[CASUALTY]
    parts.append(tag(MARGIN + 8, casualty_top, 54, casualty_height, value, RED, size=26))
    parts.append(label(MARGIN + 35, TOP + height - 24, "casualty", 12, anchor="middle"))
    entries = view["hierarchy"][CASUALTY]
    for index, entry in enumerate(entries):
        few = len(entries) <= 3
        dx, dy = (0, 3 + 54 * index) if few else (168 * (index % 2), 6 + 31 * (index // 2))
        scale = 2 if few else 1
        parts.append(draw_entry(x + dx, casualty_top + dy, entry, view["ring_target"], scale))
    return "".join(parts)


def draw_entry(
    x: float, y: float, entry: dict[str, Any], ring_target: str | None, scale: int
) -> str:
    """Draw a placed card with its family tile, its item and the co-owner's tile."""
    owner, item, co_owner = entry["owner"], entry["item"], entry["co_owner"]
    parts = [card(0, 0, 28, 22, entry["card"], colour(owner))]
    parts.append(tag(32, 2, 48, 18, name(owner), colour(owner), size=10.5))
    if item is not None:
        parts.append(tag(83, 2, 22 if item == "ring" else 48, 18, item, GOLD, INK, 10.5))
    if co_owner is not None:
        parts.append(tag(108, 2, 48, 18, name(co_owner), colour(co_owner), size=10.5))
    if entry["card"] == ring_target:
        parts.append(box(-2, -2, 84, 26, "none", 5, stroke=GOLD, stroke_width=2))
    return element("g", *parts, transform=f"translate({x} {y}) scale({scale})")


def draw_middle(view: dict[str, Any]) -> str:
    """Draw this round's cards in the order of play, or the final scores, highest first."""
    parts = [box(RIGHT, TOP, RIGHT_WIDTH, TABLE_HEIGHT, radius=10)]
    title = "Final scores" if view["over"] else "Table"
    parts.append(label(RIGHT + 16, TOP + 25, title, 17, bold=True))
    parts.append(label(RIGHT + RIGHT_WIDTH - 16, TOP + 25, undealt(view), 14, PALE, "end"))
    if view["over"]:
        places = [
            (seat, label(0, 64, view["scores"][seat], 44, anchor="middle", bold=True))
            for seat in final_order(view)
        ]
    else:
        order = play_order(view)
        places = [(seat, draw_play(seat, face, gun, won(view, seat))) for seat, face, gun in order]
    for index, (seat, content) in enumerate(places):
        content += tag(-40, 96, 80, 24, name(seat), colour(seat), size=15)
        x = RIGHT + RIGHT_WIDTH / 2 + 96 * (index - (len(places) - 1) / 2)
        parts.append(element("g", content, transform=f"translate({x} {TOP + 42})"))
    return "".join(parts)


def draw_play(seat: int | None, face: str | None, gun: bool, winner: bool) -> str:
    """Draw a card on the table around x = 0, or the place where it will lie."""
    if face is None:
        return empty_place(-30, 0, 60, 84)
    parts = [card(-30, 0, 60, 84, face, colour(seat))]
    if winner:
        parts.append(box(-35, -5, 70, 94, "none", 11, stroke=GOLD, stroke_width=3))
    if gun:
        parts.append(tag(-40, 58, 80, 20, "machine gun", GOLD, INK, 12))
    return "".join(parts)


def draw_players(view: dict[str, Any]) -> str:
    """Draw a row for each seat, and one for Tony where he plays."""
    top = TOP + TABLE_HEIGHT + 10
    rows = all_played(view)
    height = (HEIGHT - MARGIN - top + 6) / len(rows) - 6
    parts = []
    for index, (seat, faces) in enumerate(rows):
        y = top + index * (height + 6)
        parts.append(box(RIGHT, y, RIGHT_WIDTH, height, radius=10))
        if seat is not None and seat == view["to_act"]:
            parts.append(
                box(RIGHT, y, RIGHT_WIDTH, height, "none", 10, stroke=GOLD, stroke_width=3)
            )
        parts.append(box(RIGHT + 8, y + 8, 6, height - 16, colour(seat), 3))
        tony = pile(234, 10, 36, 50, len(view["deck"]))
        content = tony if seat is None else draw_seat(view, seat)
        content += label(104, 77, "played " + (" ".join(faces) or "nothing"), 13, PALE)
        content += label(22, 26, name(seat), 18, bold=True)
        parts.append(element("g", content, transform=f"translate({RIGHT} {y + (height - 84) / 2})"))
    return "".join(parts)


def draw_seat(view: dict[str, Any], seat: int) -> str:
    """Draw a seat's hand, pile, points and unused items, inside 490 by 84 pixels."""
    parts = [label(22, 44, AGES[view["age_order"].index(seat)], 13, PALE)]
    if seat == view["start_seat"]:
        parts.append(label(22, 61, "start player", 13, GOLD))
    for index, face in enumerate(view["hands"][seat]):
        parts.append(card(104 + 40 * index, 10, 36, 50, face, colour(seat)))
    parts.append(pile(234, 10, 36, 50, len(view["piles"][seat])))
    parts.append(label(310, 45, view["scores"][seat], 32, anchor="middle", bold=True))
    parts.append(label(350, 30, f"wealth {view['wealth'][seat]}", 12, PALE))
    parts.append(label(350, 48, f"penalty {view['penalty'][seat]}", 12, PALE))
    for index, item in enumerate(view["items"][seat]):
        parts.append(tag(416, 7 + 18 * index, 66, 15, words(item), GOLD, INK))
    return "".join(parts)
