"""The state document of Fire Bulls (5 of docs/rules/fire_bulls.md) and its views (11)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from ..document import Strict, parse, require, require_length
from .cards import (
    ALWAYS_BONUS,
    BO,
    COLOUR_OF,
    COLOURS,
    COST,
    FIELD,
    FIELD_MASK,
    FIRST_PAYMENT,
    GENERAL,
    GUARDS,
    NUM_QI,
    PAYMENTS,
    POINTS,
    QI_COPIES,
    QI_NAMES,
    VICE,
    YEN_COPIES,
    YEN_NAMES,
    affordable,
    next_types,
    rest_of_payment,
)
from .rules import (
    ACTION_NAMES,
    AT_GENERAL,
    ATTACK_AT,
    BEATEN,
    DIRECTIONS,
    ENDS,
    FREE,
    GENERAL_STATES,
    GRADED,
    HAND_LIMIT,
    IDLE_ROUNDS,
    LAST_TIME,
    LINES,
    MAX_PLAYERS,
    MOST_BEATEN,
    NUM_PILES,
    OVER,
    PHASES,
    REACHES,
    ROW_LENGTH,
    ROWS,
)

ALL_QI = Counter({name: int(count) for name, count in zip(QI_NAMES, QI_COPIES, strict=True)})
ALL_YEN = Counter({name: int(count) for name, count in zip(YEN_NAMES, YEN_COPIES, strict=True)})
NO_CARD = "-"  # in `stolen.cards`: this seat lost none; elsewhere never accepted
BO_NAME, VICE_NAME, GENERAL_NAME = (YEN_NAMES[card] for card in (BO, VICE, GENERAL))
ALL_FIELDS = (1 << FIELD * NUM_QI) - 1 - GUARDS  # a packed hand that can pay anything
Qi = Literal["g", "y", "r", "b", "n", "*"]
Yen = Literal[
    "Sg", "Sy", "Sr", "Sb", "Sn", "Wg", "Wy", "Wr", "Wb", "Wn", "W0", "X", "B", "V", "G", "K"
]
Colour = Literal["g", "y", "r", "b", "n"]
Direction = Literal["DL", "L", "M", "R", "DR"]


class Options(Strict):
    """The options (3)."""

    reach: Literal["graded", "strict", "free"]


class Attack(Strict):
    """An attack that is going on."""

    dir: Literal["DL", "L", "M", "R", "DR", "general"]
    limit: Annotated[int, Field(ge=1, le=MOST_BEATEN)]
    beaten: list[Yen]
    paid: list[Qi]
    warriors: Annotated[int, Field(ge=0)]


class Stolen(Strict):
    """What the General's reward took."""

    by: int
    cards: list[Literal["g", "y", "r", "b", "n", "*", "-"] | None]


class View(Strict):
    """A document in which hidden cards may be null: a view (11)."""

    game: Literal["fire_bulls"]
    players: Annotated[int, Field(ge=2, le=MAX_PLAYERS)]
    options: Options
    to_act: int | None
    phase: Literal["turn", "attack", "reward", "penalty", "discard", "over"]
    over: bool
    scores: list[int]
    end: Literal["general", "escape", "stall"] | None
    start: int
    colors: list[Colour]
    bulls: list[Direction]
    hands: list[list[Qi | None]]
    display: list[Qi]
    qi_pile: list[Qi | None]
    discard: list[Qi]
    finished: Annotated[int, Field(ge=0, le=LAST_TIME)]
    idle: Annotated[int, Field(ge=0)]
    swapped: list[bool]
    pool: list[Qi]
    drawn: list[list[Qi | None]]
    known: list[list[Qi]]
    yen_piles: list[list[Yen | None]]
    rows: list[list[Yen | None]]
    general: Literal["hidden", "aside", "beaten"]
    beaten: list[list[Yen]]
    removed: list[Yen]
    attack: Attack | None
    reward: Literal["B", "V", "G"] | None
    stolen: Stolen | None


class Document(View):
    """A complete document: no hidden card is null."""

    hands: list[list[Qi]]  # pyright: ignore[reportIncompatibleVariableOverride]
    qi_pile: list[Qi]  # pyright: ignore[reportIncompatibleVariableOverride]
    drawn: list[list[Qi]]  # pyright: ignore[reportIncompatibleVariableOverride]
    yen_piles: list[list[Yen]]  # pyright: ignore[reportIncompatibleVariableOverride]


def write(s: SimpleNamespace) -> dict[str, Any]:
    """Return the state document of a record, given as its fields."""
    seats = range(s.players)
    over = s.to_act == OVER
    return {
        "game": "fire_bulls",
        "players": int(s.players),
        "options": {"reach": REACHES[s.reach]},
        "to_act": None if over else int(s.to_act),
        "phase": PHASES[s.phase],
        "over": bool(over),
        "scores": s.score[: s.players].tolist(),
        "end": ENDS[s.end],
        "start": int(s.start),
        "colors": [COLOURS[s.colour[seat]] for seat in seats],
        "bulls": [DIRECTIONS[s.bull[seat]] for seat in seats],
        "hands": [_spread(s.hand[seat], QI_NAMES) for seat in seats],
        "display": _spread(s.display, QI_NAMES),
        "qi_pile": [QI_NAMES[kind] for kind in s.qi_pile[: s.qi_size]],
        "discard": _spread(s.discard, QI_NAMES),
        "finished": int(s.finished),
        "idle": int(s.idle),
        "swapped": [bool(s.swapped[seat]) for seat in seats],
        "pool": _spread(s.pool, QI_NAMES),
        "drawn": [_spread(s.drawn[seat], QI_NAMES) for seat in seats],
        "known": [_spread(s.known[seat], QI_NAMES) for seat in seats],
        "yen_piles": [
            [YEN_NAMES[card] for card in pile[:size]]
            for pile, size in zip(s.yen_pile, s.yen_size, strict=True)
        ],
        "rows": [
            [YEN_NAMES[card - 1] if card else None for card in row]
            for row in s.cell.reshape(ROWS, ROW_LENGTH)
        ],
        "general": GENERAL_STATES[s.general],
        "beaten": [_spread(s.beaten[seat], YEN_NAMES) for seat in seats],
        "removed": _spread(s.removed, YEN_NAMES),
        "attack": _attack(s) if s.attack_dir else None,
        "reward": YEN_NAMES[s.reward - 1] if s.reward else None,
        "stolen": _stolen(s) if s.thief else None,
    }


def _spread(counts: np.ndarray, names: Sequence[str]) -> list[str]:
    """Return counts by type as a list of cards in canonical order."""
    return [name for name, count in zip(names, counts, strict=True) for _ in range(count)]


def _attack(s: SimpleNamespace) -> dict[str, Any]:
    return {
        "dir": _direction_name(s.attack_dir - 1),
        "limit": int(s.limit),
        "beaten": _spread(s.attack_beaten, YEN_NAMES),
        "paid": [QI_NAMES[kind] for kind in s.paid[: s.num_paid]],
        "warriors": int(s.warriors),
    }


def _direction_name(direction: int) -> str:
    return ACTION_NAMES[ATTACK_AT + direction].removeprefix("attack ")


def _stolen(s: SimpleNamespace) -> dict[str, Any]:
    cards = [QI_NAMES[card - 1] if card else NO_CARD for card in s.stolen[: s.players]]
    return {"by": int(s.thief) - 1, "cards": cards}


def read(document: Mapping[str, Any], s: np.record) -> None:
    """Fill the zeroed record `s` from a document; ValueError names a key of an inconsistent one."""
    d = parse(Document, document)
    check(d)
    s.players, s.reach = d.players, REACHES.index(d.options.reach)
    s.to_act = OVER if d.to_act is None else d.to_act
    s.phase, s.end, s.start = PHASES.index(d.phase), ENDS.index(d.end), d.start
    s.finished, s.idle, s.general = d.finished, d.idle, GENERAL_STATES.index(d.general)
    s.swapped[: d.players] = d.swapped
    s.colour[: d.players] = [COLOURS.index(colour) for colour in d.colors]
    s.bull[: d.players] = [DIRECTIONS.index(direction) for direction in d.bulls]
    s.score[: d.players] = d.scores
    for seat in range(d.players):
        s.hand[seat] = _counts(d.hands[seat], QI_NAMES)
        s.known[seat] = _counts(d.known[seat], QI_NAMES)
        s.drawn[seat] = _counts(d.drawn[seat], QI_NAMES)
        s.beaten[seat] = _counts(d.beaten[seat], YEN_NAMES)
    s.pool[:] = _counts(d.pool, QI_NAMES)
    s.display[:] = _counts(d.display, QI_NAMES)
    s.discard[:] = _counts(d.discard, QI_NAMES)
    s.removed[:] = _counts(d.removed, YEN_NAMES)
    s.qi_size = len(d.qi_pile)
    s.qi_pile[: s.qi_size] = [QI_NAMES.index(kind) for kind in d.qi_pile]
    for row in range(ROWS):
        size = len(d.yen_piles[row])
        s.yen_size[row] = size
        s.yen_pile[row, :size] = [YEN_NAMES.index(card) for card in d.yen_piles[row]]
    s.yen_hidden[:] = _counts(chain(*d.yen_piles), YEN_NAMES)
    s.cell[:] = [YEN_NAMES.index(card) + 1 if card else 0 for card in chain(*d.rows)]
    s.reward = YEN_NAMES.index(d.reward) + 1 if d.reward else 0
    if d.attack is not None:
        s.attack_dir, s.limit = _direction(d.attack.dir) + 1, d.attack.limit
        s.attack_beaten[:] = _counts(d.attack.beaten, YEN_NAMES)
        s.num_beaten, s.num_paid = len(d.attack.beaten), len(d.attack.paid)
        s.paid[: s.num_paid] = [QI_NAMES.index(kind) for kind in d.attack.paid]
        s.warriors = d.attack.warriors
    if d.stolen is not None:
        s.thief = d.stolen.by + 1
        s.stolen[: d.players] = [
            0 if card in (None, NO_CARD) else QI_NAMES.index(card) + 1 for card in d.stolen.cards
        ]


def _counts(cards: Iterable[str], names: Sequence[str]) -> list[int]:
    """Return cards as counts by type."""
    found = Counter(cards)
    return [found[name] for name in names]


def _direction(name: str) -> int:
    return AT_GENERAL if name == "general" else DIRECTIONS.index(name)


def check(d: Document) -> None:
    """Refuse a document that is not consistent (5)."""
    _check_lengths(d)
    _check_order(d)
    _check_turn(d)
    _check_qi(d)
    _check_yen(d)
    if d.attack is not None:
        _check_attack(d, d.attack)
    _check_reward(d)
    _check_stolen(d)
    _check_choice(d)
    if d.over:
        _check_end(d)


def _check_lengths(d: Document) -> None:
    for key in ("scores", "colors", "bulls", "hands", "swapped", "drawn", "known", "beaten"):
        require_length(getattr(d, key), d.players, key)
    require_length(d.yen_piles, NUM_PILES, "yen_piles")
    require_length(d.rows, ROWS, "rows")
    for row in d.rows:
        require_length(row, ROW_LENGTH, "rows")
    for key in ("colors", "bulls"):
        require(len(set(getattr(d, key))) == d.players, key, "must all be different")


def _check_order(d: Document) -> None:
    for key in ("display", "discard", "pool"):
        _require_canonical(getattr(d, key), QI_NAMES, key)
    for key in ("hands", "drawn", "known"):
        for cards in getattr(d, key):
            _require_canonical(cards, QI_NAMES, key)
    for cards in d.beaten:
        _require_canonical(cards, YEN_NAMES, "beaten")
    _require_canonical(d.removed, YEN_NAMES, "removed")
    if d.attack is not None:
        _require_canonical(d.attack.beaten, YEN_NAMES, "attack.beaten")


def _require_canonical(cards: list[Any], names: Sequence[str], key: str) -> None:
    require(cards == sorted(cards, key=names.index), key, f"must be in the order {' '.join(names)}")


def _check_turn(d: Document) -> None:
    require(d.over == (d.phase == "over"), "over", f"does not fit phase {d.phase!r}")
    require(d.over == (d.to_act is None), "to_act", "must be null when over, and only then")
    for key, seat in (("to_act", d.to_act), ("start", d.start)):
        require(seat is None or 0 <= seat < d.players, key, f"there is no seat {seat}")
    require(d.over == (d.end is not None), "end", "must be null until the game is over")
    most_idle = IDLE_ROUNDS * d.players - (d.phase == "turn")
    require(d.idle <= most_idle, "idle", f"at most {most_idle} in phase {d.phase!r}")
    attacking = d.phase in ("attack", "reward", "penalty")
    require(attacking == (d.attack is not None), "attack", f"does not fit phase {d.phase!r}")
    require((d.reward is not None) == (d.phase == "reward"), "reward", "only in phase 'reward'")


def _check_qi(d: Document) -> None:
    cards = Counter(chain(*d.hands, d.display, d.qi_pile, d.discard))
    _require_all(cards, ALL_QI, "qi_pile")
    for seat, hand in enumerate(d.hands):
        if d.phase == "discard" and seat == d.to_act:
            require_length(hand, HAND_LIMIT + 1, "hands")
        else:
            require(len(hand) <= HAND_LIMIT, "hands", f"seat {seat} has more than {HAND_LIMIT}")
        known = Counter(d.known[seat]) <= Counter(hand)
        require(known, "known", f"seat {seat} does not have these cards")
    formed = Counter(chain(d.qi_pile, *d.drawn))
    require(Counter(d.pool) == formed, "pool", "must be qi_pile and drawn together")
    require(formed <= ALL_QI, "drawn", "there are not so many cards of a type")
    left = d.finished < LAST_TIME or not d.qi_pile
    require(left, "finished", f"the pile has run out {LAST_TIME} times and still holds cards")


def _require_all(cards: Counter[str], pack: Counter[str], key: str) -> None:
    for name, count in pack.items():
        require(cards[name] == count, key, f"{name} is there {cards[name]} times, not {count}")


def _check_yen(d: Document) -> None:
    won = [*chain(*d.beaten), *d.removed]
    places = {
        "hidden": any(GENERAL_NAME in cards for cards in d.yen_piles),
        "aside": not any(GENERAL_NAME in cards for cards in (*d.yen_piles, *d.rows, won)),
        "beaten": GENERAL_NAME in won,
    }
    require(places[d.general], "general", f"{d.general!r} does not fit where the card lies")
    cards = Counter(card for card in chain(*d.yen_piles, *d.rows, won) if card)
    cards[GENERAL_NAME] += d.general == "aside"
    _require_all(cards, ALL_YEN, "yen_piles")
    scores = [
        sum(_points(card, colour) for card in cards)
        for cards, colour in zip(d.beaten, d.colors, strict=True)
    ]
    require(d.scores == scores, "scores", f"must be those of the beaten cards, {scores}")


def _points(name: str, colour: str) -> int:
    """Return the points of a beaten card with the bonus of a seat's colour (9)."""
    card = YEN_NAMES.index(name)
    own = COLOUR_OF[card] == COLOURS.index(colour) or ALWAYS_BONUS[card]
    return int(POINTS[card]) + bool(own)


def _check_attack(d: Document, attack: Attack) -> None:
    seat = d.to_act or 0
    limit = _limit(d, seat, attack.dir)
    require(attack.limit == limit, "attack.limit", f"must be {limit}")
    mine = Counter(attack.beaten) <= Counter(d.beaten[seat])
    require(mine, "attack.beaten", f"seat {seat} does not have these cards")
    count = len(attack.beaten)
    require(count <= limit, "attack.beaten", f"at most {limit}")
    require(d.phase == "attack" or count > 0, "attack.beaten", "nothing was beaten yet")
    if attack.dir == "general":
        fits = d.general == "beaten" if count else d.general == "aside"
        require(fits, "general", "does not fit the attack")
    found = GENERAL_NAME in attack.beaten
    require(found == (attack.dir == "general" and count > 0), "attack.dir", "does not fit `beaten`")
    played = Counter(attack.paid)
    require(played <= Counter(d.discard), "attack.paid", "must lie in the discard pile")
    require(d.phase == "attack" or not attack.paid, "attack.paid", "only in phase 'attack'")
    most = sum(int(COST[YEN_NAMES.index(card)]) for card in attack.beaten) + len(attack.paid)
    fits = played["*"] <= attack.warriors <= most
    require(fits, "attack.warriors", f"must be {played['*']} to {most}")


def _limit(d: Document, seat: int, name: str) -> int:
    """Return how many cards a seat may beat from a direction, or of the General (3)."""
    if name == "general":
        return 1
    distance = abs(DIRECTIONS.index(d.bulls[seat]) - DIRECTIONS.index(name))
    reach = REACHES.index(d.options.reach)
    if reach == FREE or distance == 0:
        return MOST_BEATEN
    return max(MOST_BEATEN - distance, 1) if reach == GRADED else 1


def _check_reward(d: Document) -> None:
    if d.reward is None or d.attack is None:
        return
    require(d.reward in d.attack.beaten, "reward", "must be of a card beaten in this attack")
    if d.reward == BO_NAME:
        require(_can_draw(d), "reward", "no card can be drawn")
    else:
        others = any(hand for seat, hand in enumerate(d.hands) if seat != d.to_act)
        require(others, "reward", "no other seat has a card")


def _can_draw(d: View) -> bool:
    return bool(d.qi_pile) or (d.finished < LAST_TIME and bool(d.discard))


def _check_stolen(d: Document) -> None:
    if d.stolen is None:
        return
    require(0 <= d.stolen.by < d.players, "stolen.by", f"there is no seat {d.stolen.by}")
    require_length(d.stolen.cards, d.players, "stolen.cards")
    require(None not in d.stolen.cards, "stolen.cards", "a complete document has no null")
    require(d.stolen.cards[d.stolen.by] == NO_CARD, "stolen.cards", "the thief lost no card")
    require(d.general == GENERAL_STATES[BEATEN], "stolen", "the General is not beaten")


def _check_choice(d: Document) -> None:
    """Refuse a game that is not over and has no legal action (6)."""
    if d.to_act is None:
        return
    hand = np.array(_counts(d.hands[d.to_act], QI_NAMES))
    if d.phase == "turn":
        cards = affordable(hand)
        targets = [_target(d, name) for name in (*DIRECTIONS, "general")]
        attack = any(name and cards >> YEN_NAMES.index(name) & 1 for name in targets)
        require(bool(d.display) or _can_draw(d) or attack, "display", "no action is legal")
    elif d.phase == "attack" and d.attack is not None:
        target = _target(d, d.attack.dir)
        require(target is not None, "attack.dir", "there is no target")
        count = len(d.attack.beaten)
        require(count < d.attack.limit, "attack.beaten", "the limit is reached")
        card = YEN_NAMES.index(str(target))
        require(len(d.attack.paid) < COST[card], "attack.paid", "the target is paid")
        paid = [QI_NAMES.index(kind) for kind in d.attack.paid]
        laid = sum(1 << (FIELD * kind) for kind in paid)
        held = sum(int(count) << (FIELD * kind) for kind, count in enumerate(hand))
        fits = next_types(held, laid, paid[-1] if paid else 0, card) != 0
        require(fits, "attack.paid", f"no payment of {target} with this hand starts so")
    elif d.phase == "penalty" and d.attack is not None:
        require(d.attack.warriors > 0, "attack.warriors", "there is nothing to atone for")
        earlier = Counter(d.beaten[d.to_act]) - Counter(d.attack.beaten)
        require(bool(earlier), "beaten", "there is no card from an earlier turn")


def _target(d: View, name: str) -> str | None:
    """Return the Yen card that an attack from a direction meets first (5)."""
    if name == "general":
        return GENERAL_NAME if d.general == "aside" else None
    cells = [*chain(*d.rows)]
    return next((cells[cell] for cell in LINES[DIRECTIONS.index(name)] if cells[cell]), None)


def _check_end(d: Document) -> None:
    used_up = sum(not pile for pile in d.yen_piles) >= 2
    if d.finished == LAST_TIME:
        end = "escape"
    elif d.general == "beaten" and used_up:
        end = "general"
    elif d.idle >= IDLE_ROUNDS * d.players:
        end = "stall"
    else:
        end = None
    require(d.end == end, "end", f"must be {end!r}: no other condition holds")


def view(document: dict[str, Any], seat: int | None) -> dict[str, Any]:
    """Return the document with all that `seat` (None: a spectator) cannot know as null (11)."""
    hidden: dict[str, Any] = {
        key: [
            cards if other == seat else [None] * len(cards)
            for other, cards in enumerate(document[key])
        ]
        for key in ("hands", "drawn")
    }
    hidden["qi_pile"] = [None] * len(document["qi_pile"])
    hidden["yen_piles"] = [[None] * len(pile) for pile in document["yen_piles"]]
    stolen = document["stolen"]
    if stolen is not None:
        cards = [
            card if card == NO_CARD or _sees_stolen(document, seat, other) else None
            for other, card in enumerate(stolen["cards"])
        ]
        hidden["stolen"] = stolen | {"cards": cards}
    return document | hidden


def _sees_stolen(document: dict[str, Any], seat: int | None, victim: int) -> bool:
    """Tell whether a seat knows what was stolen from `victim`; a spectator if all seats do."""
    if seat is None:
        return document["players"] == 2
    return seat in (victim, document["stolen"]["by"])


def complete(view: Mapping[str, Any], seat: int) -> dict[str, Any]:
    """Return a document that shows `seat` this view, the nulls filled with cards that fit."""
    d = parse(View, view)
    require(0 <= seat < d.players == len(d.hands), "players", f"there is no seat {seat}")
    for key, values in (("drawn", d.drawn), ("known", d.known)):
        require_length(values, d.players, key)
    require(None not in d.hands[seat], "hands", f"seat {seat} must see its own hand")
    require(None not in d.drawn[seat], "drawn", f"seat {seat} must see its own draws")
    for hand, known in zip(d.hands, d.known, strict=True):
        require(len(known) <= len(hand), "known", "is more than the whole hand")
    hidden = _complete_qi(d, seat)
    seen = [*chain(*d.rows), *chain(*d.beaten), *d.removed]
    seen += [GENERAL_NAME] if d.general == "aside" else []
    rest = iter(_sorted(ALL_YEN - Counter(seen), YEN_NAMES))
    hidden["yen_piles"] = [[next(rest, NO_CARD) for _ in pile] for pile in d.yen_piles]
    if d.stolen is not None:
        shown = d.stolen.by == seat or d.stolen.cards[seat : seat + 1] != [None]
        require(shown, "stolen.cards", f"seat {seat} must see the card it lost")
        cards = [card or QI_NAMES[0] for card in d.stolen.cards]
        hidden["stolen"] = {"by": d.stolen.by, "cards": cards}
    return dict(view) | hidden


def _complete_qi(d: View, seat: int) -> dict[str, Any]:
    """Return `qi_pile`, `hands` and `drawn` filled: the pile first, from both what may be there.

    Before it the hand of another seat that must be able to pay for a Yen card.
    """
    others = [other for other in range(d.players) if other != seat]
    hands, drawn = [*map(list[Any], d.hands)], [*map(list[Any], d.drawn)]
    unseen = ALL_QI - Counter([*d.display, *d.discard, *hands[seat]])
    unseen -= Counter(chain(*(d.known[other] for other in others)))
    pool: Counter[Any] = Counter(d.pool)
    pool -= Counter(drawn[seat])
    if d.to_act in others:
        free = len(d.hands[d.to_act]) - len(d.known[d.to_act])
        paying = _paying_cards(d, Counter(d.known[d.to_act]), unseen, pool, free)
        if paying is not None:
            hands[d.to_act] = _sorted(paying + Counter(d.known[d.to_act]), QI_NAMES)
            others.remove(d.to_act)
            unseen -= paying
    pile = _sorted(unseen & pool, QI_NAMES)[: len(d.qi_pile)]
    require_length(pile, len(d.qi_pile), "qi_pile")
    unseen, pool = unseen - Counter(pile), pool - Counter(pile)
    rest, left = iter(_sorted(unseen, QI_NAMES)), iter(_sorted(pool, QI_NAMES))
    for other in others:
        more = [next(rest, NO_CARD) for _ in d.hands[other][len(d.known[other]) :]]
        hands[other] = sorted([*d.known[other], *more], key=(*QI_NAMES, NO_CARD).index)
    for other in range(d.players):
        if other != seat:
            drawn[other] = [next(left, NO_CARD) for _ in d.drawn[other]]
    return {"qi_pile": pile, "hands": hands, "drawn": drawn}


def _paying_cards(
    d: View, known: Counter[str], unseen: Counter[str], pool: Counter[Any], free: int
) -> Counter[str] | None:
    """Return `free` unseen cards with which the acting seat can go on, if that asks for some.

    They are in a payment or, if possible, no candidates for the pile, so that this finds its cards.
    """
    paid = [QI_NAMES.index(kind) for kind in d.attack.paid] if d.attack else []
    laid = sum(1 << (FIELD * kind) for kind in paid)
    last = paid[-1] if paid else 0
    for target in _needed_targets(d):
        card = YEN_NAMES.index(target)
        for payment in PAYMENTS[FIRST_PAYMENT[card] : FIRST_PAYMENT[card + 1]]:
            rest = int(rest_of_payment(int(payment), laid, last, ALL_FIELDS))
            counts = {kind: rest >> FIELD * i & FIELD_MASK for i, kind in enumerate(QI_NAMES)}
            needed = Counter(counts) - known
            if not rest or not needed <= unseen or needed.total() > free:
                continue
            left = unseen - needed
            fill = [*_sorted(left - pool, QI_NAMES), *_sorted(left & pool, QI_NAMES)]
            cards = needed + Counter(fill[: free - needed.total()])
            if ((unseen - cards) & pool).total() >= len(d.qi_pile):
                return cards
    return None


def _needed_targets(d: View) -> list[str]:
    """Return Yen cards of which the acting seat must be able to pay one to have a legal action."""
    names = []
    if d.phase == "attack" and d.attack is not None:
        names = [d.attack.dir]
    elif d.phase == "turn" and not d.display and not _can_draw(d):
        names = [*DIRECTIONS, "general"]
    return [target for target in (_target(d, name) for name in names) if target]


def _sorted(cards: Counter[Any], names: Sequence[str]) -> list[Any]:
    """Return a multiset as a list in canonical order."""
    return [name for name in names for _ in range(cards[name])]
