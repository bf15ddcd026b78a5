"""The state document of Pompiers! (5 of docs/rules/pompiers.md) and its views (11)."""

from collections.abc import Iterable, Mapping
from itertools import chain
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from ..document import Strict, parse, refuse, require, require_each_once, require_length
from .missions import (
    COLOURS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    MISSION_2_7,
    NOBODY,
    NUM_MISSIONS,
    NUM_TRICKS,
    TILE_NAMES,
    TILE_POINTS,
    condition_of,
    in_use,
    only_seat,
    who_meets,
)
from .rules import (
    CARD_NAMES,
    CHIP_POINTS,
    HAND_SIZE,
    MAX_DRAWN,
    NO_CARD,
    NUM_COLOURS,
    OVER,
    PHASES,
    beats,
    colour_of,
    num_rounds,
    top_rank,
)

INDEX = {name: card for card, name in enumerate(CARD_NAMES)}
SWITCH = ("off", "on")
Card = Annotated[str, Field(pattern=r"^[RBYK]([1-9]|1[0-5])$")]
Tile = Literal[
    "exactly_1",
    "exactly_2",
    "exactly_3",
    "trick_3",
    "trick_7",
    "trick_9",
    "trick_r",
    "trick_r5",
    "most_red",
    "most_blue",
    "most_yellow",
    "no_red",
    "no_yellow",
    "no_black",
]
Rounds = Annotated[int, Field(ge=1, le=5)]


class Options(Strict):
    """The options (3), resolved."""

    eleven_cards: Literal["off", "on"]


class Trick(Strict):
    """A finished trick, its cards in the order played."""

    leader: int
    winner: int
    cards: list[Card]


class Basic(Strict):
    """What became of a basic mission."""

    met: list[int]
    flipped: list[int]


class Emergency(Strict):
    """What became of an emergency mission."""

    tile: Tile
    met: list[int]
    winner: int | None


class LastRound(Strict):
    """What happened in the last finished round."""

    round: Rounds
    trump_card: Card
    tricks: list[Trick]
    basic: list[Basic]
    emergency: list[Emergency]


class View(Strict):
    """A document in which hidden cards and tiles may be null: a view (11)."""

    game: Literal["pompiers"]
    players: Annotated[int, Field(ge=MIN_PLAYERS, le=MAX_PLAYERS)]
    options: Options
    phase: Literal["place", "trump", "play", "over"]
    to_act: int | None
    over: bool
    scores: list[int]
    round: Rounds
    dealer: int
    slot_tile: Tile
    mission_pile: list[Tile | None]
    emergency: list[Tile]
    set_aside: list[Tile]
    acquired: list[list[Tile]]
    chips: list[list[bool]]
    hands: list[list[Card | None]]
    pile: list[Card | None]
    aside: list[Card | None]
    placed: list[Card | None]
    chooser: int | None
    drawn: list[Card | None]
    trump_card: Card | None
    leader: int
    trick: list[Card]
    tricks: list[Trick]
    last_round: LastRound | None


class Document(View):
    """A complete document: nothing is hidden."""

    mission_pile: list[Tile]  # pyright: ignore[reportIncompatibleVariableOverride]
    hands: list[list[Card]]  # pyright: ignore[reportIncompatibleVariableOverride]
    pile: list[Card]  # pyright: ignore[reportIncompatibleVariableOverride]
    aside: list[Card]  # pyright: ignore[reportIncompatibleVariableOverride]
    drawn: list[Card]  # pyright: ignore[reportIncompatibleVariableOverride]


def write(s: SimpleNamespace) -> dict[str, Any]:
    """Return the state document of a record, given as its fields."""
    seats = range(s.players)
    over = s.to_act == OVER
    tricks = _tricks(s.dealer, s.cards, s.winners, s.num_tricks, s.players)
    return {
        "game": "pompiers",
        "players": int(s.players),
        "options": {"eleven_cards": SWITCH[s.eleven_cards]},
        "phase": PHASES[s.phase],
        "to_act": None if over else int(s.to_act),
        "over": bool(over),
        "scores": s.score[: s.players].tolist(),
        "round": int(s.round_number),
        "dealer": int(s.dealer),
        "slot_tile": TILE_NAMES[s.slot_tile],
        "mission_pile": _tiles(s.mission_pile, s.num_mission_pile),
        "emergency": _tiles(s.emergency, s.num_emergency),
        "set_aside": _tiles(s.set_aside, s.num_set_aside),
        "acquired": [_tiles(s.acquired[seat], s.num_acquired[seat]) for seat in seats],
        "chips": [
            [bool(s.chips[seat] >> mission & 1) for mission in range(NUM_MISSIONS)]
            for seat in seats
        ],
        "hands": [_held(s.hand[seat]) for seat in seats],
        "pile": _cards(s.pile[: s.pile_size]),
        "aside": _cards(s.aside[: s.players]) if s.eleven_cards else [],
        "placed": [_card(card) for card in s.placed[: s.players]],
        "chooser": None if s.chooser == NOBODY else int(s.chooser),
        "drawn": _held(s.drawn),
        "trump_card": _card(s.trump_card),
        "leader": tricks[-1]["winner"] if tricks else int(s.dealer),
        "trick": _cards(s.cards[s.num_tricks, : s.in_trick]) if s.in_trick else [],
        "tricks": tricks,
        "last_round": _last_round(s) if s.last_number else None,
    }


def _card(card: int) -> str | None:
    return None if card == NO_CARD else CARD_NAMES[card]


def _cards(cards: np.ndarray) -> list[str]:
    return [CARD_NAMES[card] for card in cards]


def _held(cards: int) -> list[str]:
    return [name for card, name in enumerate(CARD_NAMES) if int(cards) >> card & 1]


def _tiles(tiles: np.ndarray, count: int) -> list[str]:
    return [TILE_NAMES[tile] for tile in tiles[:count]]


def _seats(seats: int) -> list[int]:
    return [seat for seat in range(MAX_PLAYERS) if seats >> seat & 1]


def _tricks(
    dealer: int, cards: np.ndarray, winners: np.ndarray, count: int, players: int
) -> list[dict[str, Any]]:
    """Return the finished tricks; the first is led by the dealer, then the winner leads."""
    won = winners[:count].tolist()
    return [
        {"leader": leader, "winner": winner, "cards": _cards(row[:players])}
        for leader, winner, row in zip([int(dealer), *won], won, cards, strict=False)
    ]


def _last_round(s: SimpleNamespace) -> dict[str, Any]:
    mets = s.last_tiles_met[: s.last_num_tiles].tolist()
    winners = [only_seat(met) for met in mets]
    return {
        "round": int(s.last_number),
        "trump_card": CARD_NAMES[s.last_trump],
        "tricks": _tricks(s.last_dealer, s.last_cards, s.last_winners, NUM_TRICKS, s.players),
        "basic": [
            {"met": _seats(met), "flipped": _seats(flipped)}
            for met, flipped in zip(s.last_met, s.last_flipped, strict=True)
        ],
        "emergency": [
            {
                "tile": TILE_NAMES[tile],
                "met": _seats(met),
                "winner": None if winner == NOBODY else int(winner),
            }
            for tile, met, winner in zip(s.last_tiles, mets, winners, strict=False)
        ],
    }


def read(document: Mapping[str, Any], s: np.record) -> None:
    """Fill the zeroed record `s` from a document; ValueError names a key of an inconsistent one."""
    d = parse(Document, document)
    check(d)
    s.players, s.eleven_cards = d.players, SWITCH.index(d.options.eleven_cards)
    s.to_act = OVER if d.to_act is None else d.to_act
    s.phase = PHASES.index(d.phase)
    s.round_number, s.dealer = d.round, d.dealer
    s.chooser = NOBODY if d.chooser is None else d.chooser
    s.score[: d.players] = d.scores
    s.slot_tile = TILE_NAMES.index(d.slot_tile)
    s.num_mission_pile = _fill(s.mission_pile, map(TILE_NAMES.index, d.mission_pile))
    s.num_emergency = _fill(s.emergency, map(TILE_NAMES.index, d.emergency))
    s.num_set_aside = _fill(s.set_aside, map(TILE_NAMES.index, d.set_aside))
    s.placed[:] = NO_CARD
    for seat in range(d.players):
        s.num_acquired[seat] = _fill(s.acquired[seat], map(TILE_NAMES.index, d.acquired[seat]))
        s.chips[seat] = sum(1 << mission for mission, done in enumerate(d.chips[seat]) if done)
        s.hand[seat] = _bits(d.hands[seat])
        card = d.placed[seat]
        s.placed[seat] = NO_CARD if card is None else INDEX[card]
    s.pile_size = _fill(s.pile, map(INDEX.__getitem__, d.pile))
    _fill(s.aside, map(INDEX.__getitem__, d.aside))
    s.drawn = _bits(d.drawn)
    s.trump_card = NO_CARD if d.trump_card is None else INDEX[d.trump_card]
    s.num_tricks, s.in_trick = len(d.tricks), len(d.trick)
    _fill_tricks(s.cards, s.winners, d.tricks)
    if d.trick:
        _fill(s.cards[s.num_tricks], map(INDEX.__getitem__, d.trick))
        place = winning(d.trick, str(d.trump_card))
        s.best_card, s.best_seat = INDEX[d.trick[place]], (d.leader + place) % d.players
    rooms, collected = _taken(d.tricks, d.players)
    s.rooms[:], s.collected[:] = rooms, collected
    for seat, card, led in _plays(d):
        s.played[seat] |= 1 << INDEX[card]
        if card[0] != led[0]:
            s.void[seat] |= 1 << COLOURS.index(led[0])
    if d.last_round is not None:
        _read_last_round(d.last_round, s)


def _fill(row: np.ndarray, values: Iterable[int]) -> int:
    listed = list(values)
    row[: len(listed)] = listed
    return len(listed)


def _fill_tricks(cards: np.ndarray, winners: np.ndarray, tricks: list[Trick]) -> None:
    for number, trick in enumerate(tricks):
        _fill(cards[number], map(INDEX.__getitem__, trick.cards))
        winners[number] = trick.winner


def _bits(cards: Iterable[str]) -> int:
    return sum(1 << INDEX[card] for card in cards)


def _read_last_round(last: LastRound, s: np.record) -> None:
    s.last_number, s.last_dealer = last.round, last.tricks[0].leader
    s.last_trump = INDEX[last.trump_card]
    _fill_tricks(s.last_cards, s.last_winners, last.tricks)
    _fill(s.last_met, (_seat_bits(basic.met) for basic in last.basic))
    _fill(s.last_flipped, (_seat_bits(basic.flipped) for basic in last.basic))
    _fill(s.last_tiles_met, (_seat_bits(one.met) for one in last.emergency))
    s.last_num_tiles = _fill(s.last_tiles, (TILE_NAMES.index(one.tile) for one in last.emergency))


def _seat_bits(seats: list[int]) -> int:
    return sum(1 << seat for seat in seats)


def winning(cards: list[str], trump_card: str) -> int:
    """Return the place of the card that wins a trick, or would if it ended now (8.5)."""
    best = 0
    for place, card in enumerate(cards):
        if beats(INDEX[card], INDEX[cards[best]], INDEX[trump_card]):
            best = place
    return best


def _taken(tricks: list[Trick], players: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the tricks of every seat as bits and the cards it has collected by colour."""
    rooms = np.zeros(MAX_PLAYERS, np.int16)
    collected = np.zeros((MAX_PLAYERS, NUM_COLOURS), np.int16)
    for number, trick in enumerate(tricks):
        rooms[trick.winner % players] |= 1 << number
        for card in trick.cards:
            collected[trick.winner % players, colour_of(INDEX[card])] += 1
    return rooms, collected


def _plays(d: View) -> list[tuple[int, str, str]]:
    """Return (seat, card, card led) of everything played this round, in order."""
    tricks = [(trick.leader, trick.cards) for trick in d.tricks] + [(d.leader, d.trick)]
    return [
        ((leader + turn) % d.players, card, cards[0])
        for leader, cards in tricks
        for turn, card in enumerate(cards)
    ]


def check(d: Document) -> None:
    """Refuse a document that is not consistent (5)."""
    _check_lengths(d)
    _check_turn(d)
    _check_cards(d)
    _check_trump(d)
    _check_placed(d)
    _check_tricks(d.tricks, d.dealer, d.trump_card, d.players, "tricks")
    _check_following(d)
    _check_tiles(d)
    if d.last_round is not None:
        _check_last_round(d, d.last_round)


def _check_lengths(d: Document) -> None:
    for key in ("scores", "acquired", "chips", "hands", "placed"):
        require_length(getattr(d, key), d.players, key)
    for chips in d.chips:
        require_length(chips, NUM_MISSIONS, "chips")
    require(d.round <= num_rounds(d.players), "round", f"at most {num_rounds(d.players)}")
    for key in ("dealer", "leader", "chooser"):
        seat = getattr(d, key)
        is_seat = seat is None or 0 <= seat < d.players
        require(is_seat, key, f"there is no seat {seat}")
    require(d.round > 1 or d.chooser is None, "chooser", "must be null in round 1")
    require(len(d.tricks) <= NUM_TRICKS, "tricks", f"at most {NUM_TRICKS}")
    require(len(d.trick) < d.players, "trick", f"at most {d.players - 1} cards")


def _check_turn(d: Document) -> None:
    """Check phase and acting seat (6)."""
    require(d.over == (d.phase == "over"), "over", f"does not fit phase {d.phase!r}")
    leader = d.tricks[-1].winner if d.tricks else d.dealer
    require(d.leader == leader, "leader", f"must be {leader}: the dealer or the last winner")
    turns = {
        "place": (d.dealer + len(d.pile)) % d.players,
        "trump": d.chooser,
        "play": (d.leader + len(d.trick)) % d.players,
        "over": None,
    }
    require(d.phase != "place" or _eleven(d), "phase", "nobody places without eleven cards")
    require(d.phase != "trump" or d.chooser is not None, "chooser", "must be the seat to act")
    require(d.to_act == turns[d.phase], "to_act", f"must be {turns[d.phase]}")
    if d.phase in ("place", "trump"):
        require(not d.tricks, "tricks", f"none in phase {d.phase}")
        require(not d.trick, "trick", f"must be empty in phase {d.phase}")
    if d.over:
        require(d.round == num_rounds(d.players), "round", "must be the last when over")
        require(not d.trick, "trick", "must be empty when over")
        require(not d.emergency, "emergency", "must be empty when over")
    finished = len(d.tricks) == NUM_TRICKS
    require(d.over == finished, "tricks", f"ten when over, fewer before, not {len(d.tricks)}")


def _eleven(d: View) -> bool:
    return d.options.eleven_cards == "on"


def _pack(players: int) -> list[str]:
    """Return the deck in use (1)."""
    return [name for name in CARD_NAMES if int(name[1:]) <= top_rank(players)]


def _check_cards(d: Document) -> None:
    known = d.phase in ("play", "over")
    require((d.trump_card is not None) == known, "trump_card", f"does not fit phase {d.phase!r}")
    played = [*d.trick, *chain(*(trick.cards for trick in d.tricks))]
    turned = [d.trump_card] if d.trump_card else []
    pack = _pack(d.players)
    require_each_once([*chain(*d.hands), *d.pile, *d.aside, *turned, *played], pack, "hands")
    for seat, hand in enumerate(d.hands):
        turn = (seat - d.leader) % d.players
        size = HAND_SIZE - len(d.tricks) - (turn < len(d.trick))
        if d.phase == "place":
            size += (seat - d.dealer) % d.players >= len(d.pile)
        require_length(hand, size, "hands")
        require(hand == sorted(hand, key=INDEX.__getitem__), "hands", "must be in index order")
    undealt = len(pack) - d.players * (HAND_SIZE + _eleven(d))
    require_length(d.aside, undealt if _eleven(d) else 0, "aside")
    if d.phase != "place":
        total = d.players if _eleven(d) else undealt
        require_length(d.pile, total - len(turned), "pile")


def _check_trump(d: Document) -> None:
    """Check the three drawn cards (8.3, 8.4)."""
    if d.chooser is None or d.phase == "place":
        require(not d.drawn, "drawn", "must be empty: nobody has drawn")
        return
    expected = _drawn(d.pile, d.trump_card)
    require(d.drawn == expected, "drawn", f"must be {expected}: end of the pile and trump card")


def _drawn(pile: list[str], trump_card: str | None) -> list[str]:
    """Return the cards the chooser drew: the pile's last three, or two and the trump card."""
    cards = pile[-MAX_DRAWN:] if trump_card is None else [*pile[1 - MAX_DRAWN :], trump_card]
    return sorted(cards, key=INDEX.__getitem__)


def _check_placed(d: Document) -> None:
    """Check what each seat placed against the pile (8.2)."""
    placed = [card for card in d.placed if card is not None]
    if not _eleven(d):
        require(not placed, "placed", "must be null without eleven cards")
    elif d.phase == "place":
        turns = [d.placed[(d.dealer + turn) % d.players] for turn in range(d.players)]
        in_order = [*d.pile, *[None] * (d.players - len(d.pile))]
        require(turns == in_order, "placed", "must be the pile, from the dealer clockwise")
    else:
        lying = sorted([*d.pile, *([d.trump_card] if d.trump_card else [])])
        require(sorted(placed) == lying, "placed", "must be the pile and the trump card")


def _check_tricks(
    tricks: list[Trick], leader: int, trump_card: str | None, players: int, key: str
) -> None:
    """Check who led and won each of these finished tricks (8.5)."""
    for number, trick in enumerate(tricks, 1):
        require_length(trick.cards, players, key)
        require(trick.leader == leader, key, f"trick {number} must be led by seat {leader}")
        winner = (leader + winning(trick.cards, str(trump_card))) % players
        require(trick.winner == winner, key, f"trick {number} must be won by seat {winner}")
        leader = winner


def _check_following(d: Document) -> None:
    """Check that nobody holds a colour, or played it later, that it did not follow (6)."""
    void = _void(d)
    for seat, hand in enumerate(d.hands):
        wrong = [card for card in hand if card[0] in void[seat]]
        require(not wrong, "hands", f"seat {seat} did not follow colour and cannot hold {wrong}")
    before: list[set[str]] = [set() for _ in range(d.players)]
    for seat, card, led in _plays(d):
        honest = card[0] not in before[seat]
        require(honest, "tricks", f"seat {seat} played {card}, a colour it did not follow")
        if card[0] != led[0]:
            before[seat].add(led[0])


def _void(d: View) -> list[set[str]]:
    """Return the colours that each seat failed to follow this round."""
    void: list[set[str]] = [set() for _ in range(d.players)]
    for seat, card, led in _plays(d):
        if card[0] != led[0]:
            void[seat].add(led[0])
    return void


def _tiles_in_use(players: int) -> list[str]:
    return [name for tile, name in enumerate(TILE_NAMES) if in_use(tile, players)]


def _check_tiles(d: Document) -> None:
    """Check that every tile is in one place and the scores fit chips and tiles (9)."""
    tiles = [d.slot_tile, *d.mission_pile, *d.emergency, *d.set_aside, *chain(*d.acquired)]
    in_play = _tiles_in_use(d.players)
    missing = set(in_play) - set(tiles)
    require(not missing, "mission_pile", f"tile {min(missing, default='')} is nowhere")
    twice = "a tile is there twice, or not used with 3 seats"
    require(len(tiles) == len(in_play), "mission_pile", twice)
    scores = [
        CHIP_POINTS * sum(chips) + sum(int(TILE_POINTS[TILE_NAMES.index(tile)]) for tile in own)
        for chips, own in zip(d.chips, d.acquired, strict=True)
    ]
    require(d.scores == scores, "scores", f"must be {scores}: chips and tiles")


def _check_last_round(d: Document, last: LastRound) -> None:
    """Check the record of the last finished round (8.6)."""
    key = "last_round"
    require(last.round == d.round - (not d.over), key, "must be of the round before")
    require_length(last.tricks, NUM_TRICKS, key)
    require(0 <= last.tricks[0].leader < d.players, key, "trick 1 has no leader")
    _check_tricks(last.tricks, last.tricks[0].leader, last.trump_card, d.players, key)
    cards = [last.trump_card, *chain(*(trick.cards for trick in last.tricks))]
    require(set(cards) <= set(_pack(d.players)), key, "a card is not in the deck in use")
    require(len(cards) == len(set(cards)), key, "a card is there twice")
    _check_missions(d, last)
    if d.over:
        same = last.tricks == d.tricks and last.trump_card == d.trump_card
        require(same, key, "must be of this round when over")
        return
    require(d.dealer == last.tricks[-1].winner, "dealer", "must have won the last trick before")
    trickless = sorted(set(range(d.players)) - {trick.winner for trick in last.tricks})
    chooser = trickless[0] if len(trickless) == 1 else None
    require(d.chooser == chooser, "chooser", f"must be {chooser}: the only seat without a trick")


def _check_missions(d: Document, last: LastRound) -> None:
    """Check who met, flipped and won what in the last finished round (2, 8.6)."""
    key = "last_round"
    rooms, collected = _taken(last.tricks, d.players)
    slot = TILE_NAMES.index(d.slot_tile)

    def meeting(condition: int) -> list[int]:
        return _seats(who_meets(condition, last.round, d.players, rooms, collected))

    require_length(last.basic, NUM_MISSIONS, key)
    for mission, basic in enumerate(last.basic):
        met = meeting(condition_of(mission, slot))
        require(basic.met == met, key, f"basic mission {mission}: met must be {met}")
        flipped = [seat for seat in met if d.chips[seat][mission] and seat in basic.flipped]
        may = mission == MISSION_2_7 or len(flipped) <= 1
        fits = basic.flipped == flipped and may
        require(fits, key, f"basic mission {mission}: flipped does not fit")
    tiles = [one.tile for one in last.emergency]
    require(len(tiles) == len(set(tiles)), key, "a tile is there twice")
    for one in last.emergency:
        met = meeting(TILE_NAMES.index(one.tile))
        require(one.met == met, key, f"{one.tile}: met must be {met}")
        winner = met[0] if len(met) == 1 else None
        require(one.winner == winner, key, f"{one.tile}: winner must be {winner}")
        left = [*d.emergency, *d.set_aside] if winner is None else d.acquired[winner]
        require(one.tile in left, key, f"{one.tile} is not where it belongs after that")


def view(document: dict[str, Any], seat: int | None) -> dict[str, Any]:
    """Return the document with all that `seat` (None: a spectator) cannot know as null (11)."""
    sees_drawn = seat is not None and document["chooser"] == seat
    hidden = {
        "mission_pile": [None] * len(document["mission_pile"]),
        "hands": [
            hand if other == seat else [None] * len(hand)
            for other, hand in enumerate(document["hands"])
        ],
        "pile": [None] * len(document["pile"]),
        "aside": [None] * len(document["aside"]),
        "placed": [
            card if other == seat else None for other, card in enumerate(document["placed"])
        ],
        "drawn": document["drawn"] if sees_drawn else [None] * len(document["drawn"]),
    }
    return document | hidden


def complete(view: Mapping[str, Any], seat: int) -> dict[str, Any]:
    """Return a document that shows `seat` this view, the nulls filled with what fits."""
    d = parse(View, view)
    require(0 <= seat < d.players, "players", f"there is no seat {seat}")
    for key in ("hands", "placed"):
        require_length(getattr(d, key), d.players, key)
    require(None not in d.hands[seat], "hands", f"seat {seat} must see its own hand")
    drawn = [card for card in d.drawn if card is not None] if d.chooser == seat else []
    if d.chooser == seat:
        require(len(drawn) == len(d.drawn), "drawn", f"seat {seat} must see what it drew")
    out = {d.trump_card, d.placed[seat], *drawn} - {None}
    known = {*d.hands[seat], *(card for _, card, _ in _plays(d)), *out}
    rest = [card for card in _pack(d.players) if card not in known]
    hands = _fitting_hands(d, seat, rest)
    unused = iter([card for card in rest if all(card not in hand for hand in hands)])

    def more(count: int) -> list[str]:
        return [next(unused, "none left") for _ in range(count)]

    placed: list[Any] = [None] * d.players
    placed[seat] = d.placed[seat]
    tail = [card for card in drawn if card != d.trump_card]
    if not _eleven(d):
        pile = [*more(len(d.pile) - len(tail)), *tail]
    elif d.phase == "place":
        pile = []
        for turn in range(len(d.pile)):
            other = (d.dealer + turn) % d.players
            if other != seat:
                placed[other] = more(1)[0]
            pile.append(placed[other])
    else:
        seen = [card for card in out if card != d.placed[seat]]
        for other in range(d.players):
            if other != seat:
                placed[other] = seen.pop() if seen else more(1)[0]
        pile = [card for card in placed if card != d.trump_card and card not in tail] + tail
    if d.chooser is not None and d.chooser != seat and d.phase != "place":
        whole = [card for card in pile if card in INDEX]
        drawn = _drawn(whole, d.trump_card)
    require_length(pile, len(d.pile), "pile")
    require_length(drawn, len(d.drawn), "drawn")
    lying = {d.slot_tile, *d.emergency, *d.set_aside, *chain(*d.acquired)}
    tiles = iter([tile for tile in _tiles_in_use(d.players) if tile not in lying])
    return dict(view) | {
        "mission_pile": [next(tiles, "none left") for _ in d.mission_pile],
        "hands": hands,
        "pile": pile,
        "aside": more(len(d.aside)),
        "placed": placed,
        "drawn": drawn,
    }


def _fitting_hands(d: View, seat: int, rest: list[str]) -> list[list[str]]:
    """Return hands of these sizes in which nobody holds a colour that it did not follow.

    Every place in another hand gets a card of `rest`; a card that is taken may be given up for
    another one (augmenting paths). ValueError if no deal fits.
    """
    void = _void(d)
    holder: dict[str, int] = {}
    places = [other for other, hand in enumerate(d.hands) if other != seat for _ in hand]
    require(len(places) <= len(rest), "hands", "more cards than there are")

    def seize(place: int, tried: set[str]) -> bool:
        for card in rest:
            if card not in tried and card[0] not in void[places[place]]:
                tried.add(card)
                if card not in holder or seize(holder[card], tried):
                    holder[card] = place
                    return True
        return False

    for place in range(len(places)):
        if not seize(place, set()):
            refuse("hands", "no deal fits the colours that were not followed")
    hands: list[list[str]] = [[] for _ in range(d.players)]
    hands[seat] = [card for card in d.hands[seat] if card is not None]
    for card in rest:
        if card in holder:
            hands[places[holder[card]]].append(card)
    return hands
