"""The state document of Pumafiosi (5 of docs/rules/pumafiosi.md) and its views (11)."""

from collections.abc import Mapping
from itertools import chain
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from ..document import Strict, parse, refuse, require, require_each_once, require_length
from .rules import (
    CARD,
    CASUALTY,
    CO_OWNER,
    HAND_SIZE,
    ITEM,
    ITEM_NAMES,
    MAX_PLAYERS,
    NOBODY,
    NUM_CARDS,
    NUM_ROUNDS,
    NUM_STEPS,
    OVER,
    OWNER,
    PHASES,
    PILE_SIZE,
    RING,
    TONY,
    strength,
)

PACK = [str(number) for number in range(1, NUM_CARDS + 1)]
Card = Annotated[str, Field(pattern=r"^([1-9]|[1-4][0-9]|5[0-5])$")]
Points = Annotated[int, Field(ge=0, le=1000)]
Item = Literal["machine_gun", "vest", "notebook", "ring"]


class Options(Strict):
    """The options (3)."""

    items: bool
    games: Literal[1, 3]


class TableCard(Strict):
    """A card of the current round."""

    card: Card
    gun: bool


class Entry(Strict):
    """A card in the hierarchy."""

    card: Card
    owner: int | None
    item: Literal["vest", "notebook", "ring"] | None
    co_owner: int | None


class View(Strict):
    """A document in which hidden cards may be null: a view (11)."""

    game: Literal["pumafiosi"]
    players: Annotated[int, Field(ge=2, le=MAX_PLAYERS)]
    options: Options
    to_act: int | None
    phase: Literal["play", "place", "ring", "over"]
    over: bool
    scores: list[int]
    wealth: list[Points]
    penalty: list[Points]
    items: list[list[Item]]
    age_order: list[int]
    game_number: Annotated[int, Field(ge=1)]
    round: Annotated[int, Field(ge=1, le=NUM_ROUNDS)]
    start_seat: int
    hands: list[list[Card | None]]
    piles: list[list[Card | None]]
    deck: list[Card | None]
    future_decks: list[list[Card | None]]
    table: list[TableCard | None]
    tony_card: Card | None
    played: list[list[Card]]
    tony_played: list[Card]
    hierarchy: list[list[Entry]]
    ring_target: Card | None


class Document(View):
    """A complete document: no card is null."""

    hands: list[list[Card]]  # pyright: ignore[reportIncompatibleVariableOverride]
    piles: list[list[Card]]  # pyright: ignore[reportIncompatibleVariableOverride]
    deck: list[Card]  # pyright: ignore[reportIncompatibleVariableOverride]
    future_decks: list[list[Card]]  # pyright: ignore[reportIncompatibleVariableOverride]


def write(s: SimpleNamespace) -> dict[str, Any]:
    """Return the state document of a record, given as its fields."""
    seats = range(s.players)
    wealth, penalty = s.wealth[: s.players].tolist(), s.penalty[: s.players].tolist()
    over = s.to_act == OVER
    return {
        "game": "pumafiosi",
        "players": int(s.players),
        "options": {"items": bool(s.items_option), "games": int(s.games)},
        "to_act": None if over else int(s.to_act),
        "phase": PHASES[s.phase],
        "over": bool(over),
        "scores": [mine - owed for mine, owed in zip(wealth, penalty, strict=True)],
        "wealth": wealth,
        "penalty": penalty,
        "items": [
            [name for kind, name in enumerate(ITEM_NAMES) if s.unused[seat, kind]] for seat in seats
        ],
        "age_order": s.age_order[: s.players].tolist(),
        "game_number": int(s.game_number),
        "round": int(s.round_number),
        "start_seat": int(s.start_seat),
        "hands": [_names(s.hand[seat], s.hand_size[seat]) for seat in seats],
        "piles": [_names(s.pile[seat], s.pile_size[seat]) for seat in seats],
        "deck": _names(s.deck, s.deck_size),
        "future_decks": [_names(deck) for deck in s.future_decks[s.game_number : s.games]],
        "table": [
            {"card": str(card), "gun": bool(gun)} if card else None
            for card, gun in zip(s.table[: s.players], s.gun, strict=False)
        ],
        "tony_card": _card(s.tony_card),
        "played": [_names(s.played[seat], s.num_played[seat]) for seat in seats],
        "tony_played": _names(s.tony_played, s.num_tony_played),
        "hierarchy": [
            *([_entry(row)] if row[CARD] else [] for row in s.column),
            [_entry(row) for row in s.casualty[: s.num_casualty]],
        ],
        "ring_target": _card(s.ring_target),
    }


def _card(number: int) -> str | None:
    return str(number) if number else None


def _names(cards: np.ndarray, count: int | None = None) -> list[str]:
    return [str(card) for card in cards[:count]]


def _entry(row: np.ndarray) -> dict[str, Any]:
    return {
        "card": str(row[CARD]),
        "owner": None if row[OWNER] == TONY else int(row[OWNER]) - 1,
        "item": ITEM_NAMES[row[ITEM]] if row[ITEM] else None,
        "co_owner": None if row[CO_OWNER] == NOBODY else int(row[CO_OWNER]) - 1,
    }


def read(document: Mapping[str, Any], s: np.record) -> None:
    """Fill the zeroed record `s` from a document; ValueError names a key of an inconsistent one."""
    d = parse(Document, document)
    check(d)
    s.players, s.items_option, s.games = d.players, d.options.items, d.options.games
    s.to_act = OVER if d.to_act is None else d.to_act
    s.phase = PHASES.index(d.phase)
    s.game_number, s.round_number, s.start_seat = d.game_number, d.round, d.start_seat
    s.wealth[: d.players], s.penalty[: d.players] = d.wealth, d.penalty
    s.age_order[: d.players] = d.age_order
    for seat in range(d.players):
        for item in d.items[seat]:
            s.unused[seat, ITEM_NAMES.index(item)] = 1
        s.hand_size[seat] = _fill(s.hand[seat], d.hands[seat])
        s.pile_size[seat] = _fill(s.pile[seat], d.piles[seat])
        s.num_played[seat] = _fill(s.played[seat], d.played[seat])
        lying = d.table[seat]
        if lying is not None:
            s.table[seat], s.gun[seat] = int(lying.card), lying.gun
    s.deck_size = _fill(s.deck, d.deck)
    for game, deck in enumerate(d.future_decks, d.game_number):
        _fill(s.future_decks[game], deck)
    s.tony_card = int(d.tony_card or 0)
    s.num_tony_played = _fill(s.tony_played, d.tony_played)
    for step, entries in enumerate(d.hierarchy):
        for index, entry in enumerate(entries):
            (s.casualty[index] if step == CASUALTY else s.column[step])[:] = (
                int(entry.card),
                TONY if entry.owner is None else entry.owner + 1,
                ITEM_NAMES.index(entry.item) if entry.item else 0,
                NOBODY if entry.co_owner is None else entry.co_owner + 1,
            )
    s.num_casualty = len(d.hierarchy[CASUALTY])
    s.ring_target = int(d.ring_target or 0)


def _fill(row: np.ndarray, cards: list[str]) -> int:
    row[: len(cards)] = [int(card) for card in cards]
    return len(cards)


def check(d: Document) -> None:
    """Refuse a document that is not consistent (5)."""
    _check_lengths(d)
    _check_turn(d)
    _check_cards(d)
    _check_table(d)
    _check_hierarchy(d)
    _check_items(d)
    _check_ring(d)


def _check_lengths(d: Document) -> None:
    for key in ("scores", "wealth", "penalty", "items", "hands", "piles", "table", "played"):
        require_length(getattr(d, key), d.players, key)
    require(sorted(d.age_order) == list(range(d.players)), "age_order", "must list every seat once")
    require_length(d.hierarchy, NUM_STEPS, "hierarchy")
    require(d.game_number <= d.options.games, "game_number", f"at most {d.options.games} games")
    require(0 <= d.start_seat < d.players, "start_seat", f"there is no seat {d.start_seat}")
    for seat, items in enumerate(d.items):
        in_order = [item for item in ITEM_NAMES if item in items]
        require(items == in_order, "items", f"seat {seat}: each once, in the order {ITEM_NAMES}")


def _check_turn(d: Document) -> None:
    require(d.over == (d.phase == "over"), "over", f"does not fit phase {d.phase!r}")
    if d.over:
        require(d.to_act is None, "to_act", "must be null when over")
        require(d.game_number == d.options.games, "game_number", "must be the last when over")
        require(d.round == NUM_ROUNDS, "round", "must be the last when over")
        settled = all(min(mine, owed) == 0 for mine, owed in zip(d.wealth, d.penalty, strict=True))
        require(settled, "penalty", "wealth or penalty of each seat must be 0 when over")
    elif d.to_act is None or not 0 <= d.to_act < d.players:
        refuse("to_act", f"there is no seat {d.to_act}")
    net = [mine - owed for mine, owed in zip(d.wealth, d.penalty, strict=True)]
    require(d.scores == net, "scores", f"must be wealth minus penalty, {net}")


def _check_cards(d: Document) -> None:
    cards = [*chain(*d.hands, *d.piles, *d.played), *d.deck, *d.tony_played]
    require_each_once(cards, PACK, "deck")
    require_length(d.future_decks, d.options.games - d.game_number, "future_decks")
    for deck in d.future_decks:
        require_each_once(deck, PACK, "future_decks")
    for seat in range(d.players):
        plays = d.round - (d.phase == "play" and d.table[seat] is None)
        require_length(d.played[seat], plays, "played")
        require_length(d.hands[seat], min(HAND_SIZE, NUM_ROUNDS - plays), "hands")
        require_length(d.piles[seat], max(0, PILE_SIZE - plays), "piles")
        require(d.hands[seat] == sorted(d.hands[seat], key=int), "hands", "must be ascending")
    require_length(d.tony_played, d.round if d.players == 2 else 0, "tony_played")


def _check_table(d: Document) -> None:
    turns = {"play": 0, "place": d.players}.get(d.phase, 0)
    if d.phase == "play" and d.to_act is not None:
        turns = (d.to_act - d.start_seat) % d.players
    lying = {(d.start_seat + turn) % d.players for turn in range(turns)}
    for seat, card in enumerate(d.table):
        require((card is not None) == (seat in lying), "table", f"seat {seat} does not fit to_act")
        if card is not None:
            require(card.card == d.played[seat][-1], "table", "must be the last card played")
            if card.gun:
                unused = d.options.items and "machine_gun" not in d.items[seat]
                require(unused, "table", f"seat {seat} still has, or never had, its machine gun")
    shown = d.tony_played[-1] if d.players == 2 and d.phase in ("play", "place") else None
    require(d.tony_card == shown, "tony_card", f"must be {shown!r}")
    if d.phase == "place":
        strengths = [(strength(int(c.card), c.gun), seat) for seat, c in enumerate(d.table) if c]
        if d.tony_card is not None:
            strengths.append((strength(int(d.tony_card), 0), -1))
        require(d.to_act == sorted(strengths)[-2][1], "to_act", "must have won the round")


def _check_hierarchy(d: Document) -> None:
    entries = [*chain(*d.hierarchy)]
    require_length(entries, d.round - (d.phase in ("play", "place")), "hierarchy")
    require(max(map(len, d.hierarchy[:CASUALTY])) <= 1, "hierarchy", "two cards on one step")
    cards = [entry.card for entry in entries]
    cards += [card.card for card in d.table if card] + [d.tony_card] * (d.tony_card is not None)
    require(len(cards) == len(set(cards)), "hierarchy", "a card is there twice, or on the table")
    for entry in entries:
        for seat in (entry.owner, entry.co_owner):
            require(seat is None or 0 <= seat < d.players, "hierarchy", f"there is no seat {seat}")
        if entry.card in d.tony_played:
            taken = entry.owner is not None
            fits = (entry.item == "ring") if taken else (entry.item is None)
            fits = fits and entry.co_owner is None
        else:
            fits = entry.owner is not None and entry.card in d.played[entry.owner]
            fits = fits and (entry.co_owner is not None) == (entry.item == "ring")
            fits = fits and entry.co_owner != entry.owner
        require(fits, "hierarchy", f"owner, item and co-owner of card {entry.card} do not fit")


def _check_items(d: Document) -> None:
    used = set()
    for entry in chain(*d.hierarchy):
        if entry.item is not None:
            giver = entry.owner if entry.co_owner is None else entry.co_owner
            require(giver is not None and (giver, entry.item) not in used, "items", "used twice")
            used.add((giver, entry.item))
    if not d.options.items:
        require(not used and not any(d.items), "items", "there are none without the option")
    for seat, item in used:
        require(item not in d.items[seat], "items", f"seat {seat} has used its {item}")


def _check_ring(d: Document) -> None:
    if d.phase != "ring" or d.to_act is None:
        require(d.ring_target is None, "ring_target", "must be null outside phase ring")
        return
    found = {e.card: (step, e) for step, es in enumerate(d.hierarchy) for e in es}
    own = d.played[d.to_act][-1]
    require(own in found and found[own][1].owner == d.to_act, "to_act", "must just have placed")
    require(d.ring_target in found, "ring_target", "must lie in the hierarchy")
    step, target = found[str(d.ring_target)]
    bumped = int(target.card) < int(own) and step > found[own][0]
    require(bumped, "ring_target", "must be a lower card further down")
    free = target.item is None and target.owner != d.to_act
    require(free, "ring_target", "must have no item and belong to another seat or Tony")
    require(ITEM_NAMES[RING] in d.items[d.to_act], "items", f"seat {d.to_act} has no ring to give")


def view(document: dict[str, Any], seat: int | None) -> dict[str, Any]:
    """Return the document with all that `seat` (None: a spectator) cannot know as null (11)."""
    hidden = {
        "hands": [
            hand if other == seat else [None] * len(hand)
            for other, hand in enumerate(document["hands"])
        ],
        "piles": [[None] * len(pile) for pile in document["piles"]],
        "deck": [None] * len(document["deck"]),
        "future_decks": [[None] * len(deck) for deck in document["future_decks"]],
    }
    return document | hidden


def complete(view: Mapping[str, Any], seat: int) -> dict[str, Any]:
    """Return a document that shows `seat` this view, the nulls filled with cards that fit."""
    d = parse(View, view)
    require(0 <= seat < d.players == len(d.hands), "players", f"there is no seat {seat}")
    require(None not in d.hands[seat], "hands", f"seat {seat} must see its own hand")
    known = {*d.hands[seat], *d.tony_played, *chain(*d.played)}
    unseen = [card for card in PACK if card not in known]
    nulls = sum(map(len, [*d.hands, *d.piles, d.deck])) - len(d.hands[seat])
    require(nulls == len(unseen), "deck", f"{nulls} cards are hidden, {len(unseen)} are unseen")
    rest = iter(unseen)
    hidden = {
        "hands": [
            hand if other == seat else [next(rest) for _ in hand]
            for other, hand in enumerate(d.hands)
        ],
        "piles": [[next(rest) for _ in pile] for pile in d.piles],
        "deck": [next(rest) for _ in d.deck],
        "future_decks": [PACK[: len(deck)] for deck in d.future_decks],
    }
    return dict(view) | hidden
