"""The state document of Pompiers! (5 of docs/rules/pompiers.md) and its views (11)."""

from collections.abc import Iterable, Mapping
from itertools import chain
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..document import parse, refuse, require, require_length
from .consistency import check
from .missions import COLOURS, NOBODY, NUM_MISSIONS, NUM_TRICKS, TILE_NAMES, only_seat
from .rules import CARD_NAMES, NO_CARD, OVER, PHASES
from .schema import (
    INDEX,
    SWITCH,
    Document,
    LastRound,
    Trick,
    View,
    deck_of,
    drawn_cards,
    has_eleven,
    list_seats,
    not_followed,
    plays,
    taken,
    tiles_of,
    winning,
)


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
            {"met": list_seats(met), "flipped": list_seats(flipped)}
            for met, flipped in zip(s.last_met, s.last_flipped, strict=True)
        ],
        "emergency": [
            {
                "tile": TILE_NAMES[tile],
                "met": list_seats(met),
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
    rooms, collected = taken(d.tricks, d.players)
    s.rooms[:], s.collected[:] = rooms, collected
    for seat, card, led in plays(d):
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
    known = {*d.hands[seat], *(card for _, card, _ in plays(d)), *out}
    rest = [card for card in deck_of(d.players) if card not in known]
    hands = _fitting_hands(d, seat, rest)
    unused = iter([card for card in rest if all(card not in hand for hand in hands)])

    def more(count: int) -> list[str]:
        return [next(unused, "none left") for _ in range(count)]

    placed: list[Any] = [None] * d.players
    placed[seat] = d.placed[seat]
    tail = [card for card in drawn if card != d.trump_card]
    if not has_eleven(d):
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
        drawn = drawn_cards(whole, d.trump_card)
    require_length(pile, len(d.pile), "pile")
    require_length(drawn, len(d.drawn), "drawn")
    lying = {d.slot_tile, *d.emergency, *d.set_aside, *chain(*d.acquired)}
    tiles = iter([tile for tile in tiles_of(d.players) if tile not in lying])
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
    void = not_followed(d)
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
