"""The parts of a document of Pompiers! (5 of docs/rules/pompiers.md) and what follows from them."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from ..document import Strict
from .missions import MAX_PLAYERS, MIN_PLAYERS, TILE_NAMES, in_use
from .rules import CARD_NAMES, MAX_DRAWN, NUM_COLOURS, beats, colour_of, top_rank

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


def winning(cards: list[str], trump_card: str) -> int:
    """Return the place of the card that wins a trick, or would if it ended now (8.5)."""
    best = 0
    for place, card in enumerate(cards):
        if beats(INDEX[card], INDEX[cards[best]], INDEX[trump_card]):
            best = place
    return best


def taken(tricks: list[Trick], players: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the tricks of every seat as bits and the cards it has collected by colour."""
    rooms = np.zeros(MAX_PLAYERS, np.int16)
    collected = np.zeros((MAX_PLAYERS, NUM_COLOURS), np.int16)
    for number, trick in enumerate(tricks):
        rooms[trick.winner % players] |= 1 << number
        for card in trick.cards:
            collected[trick.winner % players, colour_of(INDEX[card])] += 1
    return rooms, collected


def plays(d: View) -> list[tuple[int, str, str]]:
    """Return (seat, card, card led) of everything played this round, in order."""
    tricks = [(trick.leader, trick.cards) for trick in d.tricks] + [(d.leader, d.trick)]
    return [
        ((leader + turn) % d.players, card, cards[0])
        for leader, cards in tricks
        for turn, card in enumerate(cards)
    ]


def has_eleven(d: View) -> bool:
    """Return whether eleven cards were dealt (3)."""
    return d.options.eleven_cards == "on"


def deck_of(players: int) -> list[str]:
    """Return the deck in use (1)."""
    return [name for name in CARD_NAMES if int(name[1:]) <= top_rank(players)]


def drawn_cards(pile: list[str], trump_card: str | None) -> list[str]:
    """Return the cards the chooser drew: the pile's last three, or two and the trump card."""
    cards = pile[-MAX_DRAWN:] if trump_card is None else [*pile[1 - MAX_DRAWN :], trump_card]
    return sorted(cards, key=INDEX.__getitem__)


def not_followed(d: View) -> list[set[str]]:
    """Return the colours that each seat failed to follow this round."""
    void: list[set[str]] = [set() for _ in range(d.players)]
    for seat, card, led in plays(d):
        if card[0] != led[0]:
            void[seat].add(led[0])
    return void


def tiles_of(players: int) -> list[str]:
    """Return the light green tiles in use (4)."""
    return [name for tile, name in enumerate(TILE_NAMES) if in_use(tile, players)]


def list_seats(seats: int) -> list[int]:
    """Return the seats of a set of bits, ascending."""
    return [seat for seat in range(MAX_PLAYERS) if seats >> seat & 1]
