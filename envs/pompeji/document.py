"""The state document of Pompeji (5 of docs/rules/pompeji.md) and its views (11)."""

from collections.abc import Iterable, Mapping
from itertools import chain
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from ..document import Strict, parse, refuse, require, require_each_once, require_length
from .rules import (
    HAND_SIZE,
    MAX_PLAYERS,
    OVER,
    PHASES,
    STATE,
    can_lay_statue,
    is_able,
    may_declare,
)
from .town import (
    BUILDINGS,
    CARD_NAMES,
    COLOURS,
    MIDDLE,
    NUM_CELLS,
    PAD,
    SIDE,
    SPAN,
    clear_town,
    is_free,
    is_placeable,
    lay,
)

PACK = list(CARD_NAMES)
STATUE_NAME, VOLCANO_NAME = "S", "volcano"
NAMES = (None, *PACK, STATUE_NAME, VOLCANO_NAME)  # by face
FACES = {name: face for face, name in enumerate(NAMES)}
NUM_VOLCANOES, NUM_STATUES = 2, 4
Card = Annotated[str, Field(pattern=f"^[{BUILDINGS}][{COLOURS}]$")]
CardOrStatue = Annotated[str, Field(pattern=f"^([{BUILDINGS}][{COLOURS}]|{STATUE_NAME})$")]
CardOrVolcano = Annotated[str, Field(pattern=f"^([{BUILDINGS}][{COLOURS}]|{VOLCANO_NAME})$")]
Cell = Annotated[int, Field(ge=0, lt=NUM_CELLS)]
Points = Annotated[int, Field(ge=-10_000, le=10_000)]


class Options(Strict):
    """The options (3)."""

    permits: Literal[1, 2]
    values: Literal["latin", "building"]


class View(Strict):
    """A document in which what is hidden may be null: a view (11)."""

    game: Literal["pompeji"]
    players: Annotated[int, Field(ge=2, le=MAX_PLAYERS)]
    options: Options
    to_act: int | None
    phase: Literal["permit", "play", "cell", "building", "colour", "draw", "over"]
    over: bool
    scores: list[Points]
    turn: int
    extra: bool
    card: CardOrStatue | None
    cell: Cell | None
    building: Annotated[str, Field(pattern=f"^[{BUILDINGS}]$")] | None
    hands: list[list[Card | None]]
    stack: list[CardOrVolcano | None]
    volcanoes: Annotated[int, Field(ge=0, le=NUM_VOLCANOES)]
    discards: list[Card]
    town: list[Annotated[list[Cell | CardOrStatue], Field(min_length=2, max_length=2)]]
    statues: list[Annotated[int, Field(ge=0, le=1)]]
    permits: list[Annotated[int, Field(ge=0, le=2)]]


class Document(View):
    """A complete document: no card in a hand or in the stack is null."""

    hands: list[list[Card]]  # pyright: ignore[reportIncompatibleVariableOverride]
    stack: list[CardOrVolcano]  # pyright: ignore[reportIncompatibleVariableOverride]


def write(s: SimpleNamespace) -> dict[str, Any]:
    """Return the state document of a record, given as its fields."""
    seats = range(s.players)
    over = s.to_act == OVER
    return {
        "game": "pompeji",
        "players": int(s.players),
        "options": {
            "permits": int(s.permits_option),
            "values": ("latin", "building")[s.values_option],
        },
        "to_act": None if over else int(s.to_act),
        "phase": PHASES[s.phase],
        "over": bool(over),
        "scores": s.score[: s.players].tolist(),
        "turn": int(s.turn),
        "extra": bool(s.extra),
        "card": NAMES[s.card],
        "cell": int(s.cell) - PAD if s.cell else None,
        "building": BUILDINGS[s.building - 1] if s.building else None,
        "hands": [_names(s.hand[seat], s.hand_size[seat]) for seat in seats],
        "stack": _names(s.stack, s.stack_size),
        "volcanoes": int(s.volcanoes),
        "discards": [name for card, name in enumerate(PACK) if int(s.discards) >> card & 1],
        "town": [[int(at) - PAD, NAMES[s.town[at]]] for at in np.flatnonzero(s.town)],
        "statues": s.statues[: s.players].tolist(),
        "permits": s.permits[: s.players].tolist(),
    }


def _names(faces: np.ndarray, count: int) -> list[str | None]:
    return [NAMES[face] for face in faces[:count]]


def read(document: Mapping[str, Any], s: np.record) -> None:
    """Fill the zeroed record `s` from a document; ValueError names a key of an inconsistent one."""
    d = parse(Document, document)
    _check_lengths(d)
    _check_town(d)
    _check_cards(d)
    _check_turn(d)
    _fill(d, s)
    _check_choice(d, s)


def _fill(d: View, s: np.record) -> None:
    """Fill the record; hands and stack of a view may be null, which is left out."""
    s.players, s.permits_option = d.players, d.options.permits
    s.values_option = ("latin", "building").index(d.options.values)
    s.to_act = OVER if d.to_act is None else d.to_act
    s.phase = PHASES.index(d.phase)
    s.turn, s.extra, s.volcanoes = d.turn, d.extra, d.volcanoes
    s.score[: d.players] = d.scores
    s.statues[: d.players] = d.statues
    s.permits[: d.players] = d.permits
    s.discards = sum(1 << (FACES[name] - 1) for name in d.discards)
    for seat in range(d.players):
        s.hand_size[seat] = _fill_row(s.hand[seat], d.hands[seat])
    s.stack_size = _fill_row(s.stack, d.stack)
    clear_town(s)
    for cell, name in d.town:
        lay(s, PAD + int(cell), FACES[str(name)])
    s.card = FACES[d.card]
    s.cell = 0 if d.cell is None else PAD + d.cell
    s.building = 0 if d.building is None else 1 + BUILDINGS.index(d.building)


def _fill_row(row: np.ndarray, names: Iterable[str | None]) -> int:
    faces = [FACES[name] for name in names if name is not None]
    row[: len(faces)] = faces
    return len(faces)


# Which documents are consistent (5)


def _check_lengths(d: View) -> None:
    for key in ("scores", "hands", "statues", "permits"):
        require_length(getattr(d, key), d.players, key)
    for seat in range(d.players):
        allowed = d.options.permits
        require(d.permits[seat] <= allowed, "permits", f"seat {seat}: at most {allowed}")
    _check_ascending(d.discards, "discards")
    for hand in d.hands:
        if None not in hand:
            _check_ascending(hand, "hands")
    fewest = 0 if d.over else 1
    for seat, hand in enumerate(d.hands):
        most = HAND_SIZE - (d.phase == "draw" and seat == d.to_act)
        require(fewest <= len(hand) <= most, "hands", f"seat {seat}: from {fewest} to {most} cards")


def _check_ascending(names: list[Any], key: str) -> None:
    faces = [FACES[name] for name in names]
    require(faces == sorted(faces), key, "must be in the order of the card numbers")


def _check_cards(d: Document) -> None:
    cards = [name for name in chain(d.stack, *d.hands) if name != VOLCANO_NAME]
    cards += [*d.discards, *(str(name) for _, name in d.town if name != STATUE_NAME)]
    require_each_once(cards, PACK, "stack")
    volcanoes = d.stack.count(VOLCANO_NAME) + d.volcanoes
    require(volcanoes <= NUM_VOLCANOES, "volcanoes", f"there are {NUM_VOLCANOES}, not {volcanoes}")


def _check_town(d: View) -> None:
    for item in d.town:
        pair = isinstance(item[0], int) and isinstance(item[1], str)
        require(pair, "town", f"a cell and a card, not {item!r:.80}")
    town: dict[int, str] = {int(cell): str(name) for cell, name in d.town}
    cells = [*town]
    require(cells == sorted(cells) and len(cells) == len(d.town), "town", "cells must ascend")
    require(bool(town), "town", "must hold a card")
    for places in ([cell // SIDE for cell in cells], [cell % SIDE for cell in cells]):
        require(max(places) - min(places) < SPAN, "town", f"must span at most {SPAN} x {SPAN}")
        around = min(places) <= MIDDLE <= max(places)
        require(around, "town", f"must reach to row and column {MIDDLE}")
    statues = sum(d.statues) + [*town.values()].count(STATUE_NAME)
    require(statues <= NUM_STATUES, "town", f"there are {NUM_STATUES} statues, not {statues}")
    for cell, name in town.items():
        for other_cell in (cell + SIDE, *([cell + 1] if (cell + 1) % SIDE else [])):
            other = town.get(other_cell, STATUE_NAME)
            clash = STATUE_NAME not in (name, other) and not {*name}.isdisjoint(other)
            require(not clash, "town", f"{name} and {other} may not lie side by side")


def _check_turn(d: View) -> None:
    require(d.over == (d.phase == "over"), "over", f"does not fit phase {d.phase!r}")
    ended = d.volcanoes == NUM_VOLCANOES
    require(d.over == ended, "volcanoes", f"{NUM_VOLCANOES} when over, and only then")
    require(0 <= d.turn < d.players, "turn", f"there is no seat {d.turn}")
    if d.over:
        require(d.to_act is None, "to_act", "must be null when over")
        return
    if d.to_act is None or not 0 <= d.to_act < d.players:
        refuse("to_act", f"there is no seat {d.to_act}")
    asked = d.phase == "permit"
    require(not (asked and d.extra), "extra", "must be false in phase permit")
    other = asked or d.extra
    wanted = "another seat than" if other else "the same as"
    require((d.to_act != d.turn) == other, "to_act", f"must be {wanted} turn, {d.turn}")
    require(not asked or d.permits[d.to_act] > 0, "permits", f"seat {d.to_act} has none to use")
    require(d.phase != "draw" or d.volcanoes == 1, "volcanoes", "must be 1 in phase draw")


def _check_choice(d: Document, s: np.record) -> None:
    """Refuse what the acting seat cannot have chosen; `s` is the record of the document."""
    _check_nulls(d)
    if d.to_act is None:
        return
    if d.phase == "permit" or (d.phase == "play" and d.extra):
        require(is_able(s, d.to_act), "hands", f"seat {d.to_act} can place nothing")
    if d.card is None:
        return
    if d.card == STATUE_NAME:
        require(can_lay_statue(s, d.to_act), "card", "there is no statue or no cell for it")
    else:
        held = d.card in d.hands[d.to_act] and is_placeable(s, FACES[d.card])
        require(held, "card", f"seat {d.to_act} does not hold or cannot place {d.card}")
    if d.cell is not None:
        require(is_free(s, PAD + d.cell), "cell", "is not free")
    if d.building is not None:
        allowed = may_declare(s, BUILDINGS.index(d.building))
        require(bool(allowed), "building", f"{d.building} lies beside the cell")


def _check_nulls(d: View) -> None:
    declaring = d.phase in ("building", "colour")
    for key, wanted in (
        ("card", declaring or d.phase == "cell"),
        ("cell", declaring),
        ("building", d.phase == "colour"),
    ):
        fits = (getattr(d, key) is not None) == wanted
        require(fits, key, f"must {'not ' * wanted}be null in phase {d.phase!r}")
    if declaring:
        require(d.card == STATUE_NAME, "card", f"must be {STATUE_NAME!r} in phase {d.phase!r}")


# Views (11)


def view(document: dict[str, Any], seat: int | None) -> dict[str, Any]:
    """Return the document with all that `seat` (None: a spectator) cannot know as null (11)."""
    hidden: dict[str, Any] = {"stack": [None] * len(document["stack"])}
    if not document["over"]:
        hidden["hands"] = [
            hand if other == seat else [None] * len(hand)
            for other, hand in enumerate(document["hands"])
        ]
        if document["to_act"] != seat:
            hidden |= dict.fromkeys(("card", "cell", "building"))
    return document | hidden


def complete(view: Mapping[str, Any], seat: int) -> dict[str, Any]:
    """Return a document that shows `seat` this view, the nulls filled with what fits (11)."""
    d = parse(View, view)
    require(0 <= seat < d.players, "players", f"there is no seat {seat}")
    _check_lengths(d)
    _check_town(d)
    _check_turn(d)
    shown = [hand for other, hand in enumerate(d.hands) if d.over or other == seat]
    require(None not in chain(*shown), "hands", f"seat {seat} must see its own hand")
    known = {*chain(*shown), *d.discards, *(name for _, name in d.town)}
    rest = [name for name in PACK if name not in known]
    hidden: dict[str, Any] = {"hands": d.hands}
    s = np.zeros(1, STATE).view(np.recarray)[0]
    _fill(d, s)
    if d.to_act is not None and d.to_act != seat:
        able = [name for name in rest if is_placeable(s, FACES[name])]
        rest = able[:1] + [name for name in rest if name not in able[:1]]  # taken first of all
        hidden |= _open_choice(d, s, able)
    if not d.over:
        order = sorted(range(d.players), key=lambda other: other != d.to_act)
        hands = {other: _take(rest, len(d.hands[other])) for other in order if other != seat}
        hidden["hands"] = [hands.get(other, hand) for other, hand in enumerate(d.hands)]
    require(len(rest) <= len(d.stack), "stack", f"must hold at least {len(rest)}")
    volcanoes = [VOLCANO_NAME] * (len(d.stack) - len(rest))
    hidden["stack"] = volcanoes + rest
    return dict(view) | hidden


def _take(cards: list[str], count: int) -> list[str]:
    """Take the first `count` cards off a list and return them in order."""
    require(len(cards) >= count, "hands", "there are not so many cards left")
    taken, cards[:] = cards[:count], cards[count:]
    return sorted(taken, key=FACES.__getitem__)


def _open_choice(d: View, s: np.record, able: list[str]) -> dict[str, Any]:
    """Return what the acting seat may have chosen, `able` being the cards that it can place."""
    choice: dict[str, Any] = {}
    if d.phase == "cell":
        choice["card"] = STATUE_NAME if can_lay_statue(s, int(s.to_act)) else next(iter(able), None)
    elif d.phase in ("building", "colour"):
        free = [cell for cell in range(NUM_CELLS) if is_free(s, PAD + cell)]
        choice = {"card": STATUE_NAME, "cell": next(iter(free), None)}
        if d.phase == "colour" and free:
            s.cell = PAD + free[0]
            legal = [name for kind, name in enumerate(BUILDINGS) if may_declare(s, kind)]
            choice["building"] = legal[0]
    return choice
