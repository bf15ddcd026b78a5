"""Pompiers!: ten tricks a round, kept in numbered rooms, that are to fit five missions and more.

Section and ruling numbers are those of docs/rules/pompiers.md. A card is its index (2); a set of
cards, seats, colours or tricks is an int with one bit each.
"""

import numpy as np

from ..compiled import njit
from ..rng import draw_below, shuffle
from .missions import (
    COLOURS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    MISSION_2_7,
    NOBODY,
    NUM_MISSIONS,
    NUM_TAKEN,
    NUM_TILES,
    NUM_TRICKS,
    TILE_POINTS,
    condition_of,
    in_use,
    only_seat,
    who_meets,
)

# Sizes and constants (1-3)
NUM_COLOURS, NUM_RANKS = len(COLOURS), 15
NUM_CARDS = NUM_COLOURS * NUM_RANKS
CARD_NAMES = tuple(f"{colour}{rank + 1}" for colour in COLOURS for rank in range(NUM_RANKS))
COLOUR_CARDS = (1 << NUM_RANKS) - 1  # the cards of colour 0; shifted, those of the others
HAND_SIZE = NUM_TRICKS
MAX_PILED = NUM_TILES - 1  # all but the slot tile
MAX_PILE, MAX_DRAWN = 10, 3
CHIP_POINTS, SCORE_SCALE = 5, 15.0

# Phases, `to_act` after the end, and nobody or nothing
PHASES = ("place", "trump", "play", "over")
PLACE, TRUMP, PLAY, OVER_PHASE = range(len(PHASES))
OVER = NO_CARD = -1

# Actions (7)
PLAY_AT, PLACE_AT, REVEAL_AT = 0, NUM_CARDS, 2 * NUM_CARDS
ACTION_NAMES = tuple(
    f"{what} {card}" for what in ("play", "place", "reveal") for card in CARD_NAMES
)

STATE = np.dtype(
    [
        ("rng", np.uint64),  # the game's own generator
        ("players", np.int16),
        ("eleven_cards", np.int16),  # 1 = on
        ("to_act", np.int16),  # acting seat, or OVER
        ("phase", np.int16),  # index in PHASES
        ("round_number", np.int16),  # from 1
        ("dealer", np.int16),  # leads trick 1
        ("chooser", np.int16),  # picks the trump card, or NOBODY
        ("score", np.int16, MAX_PLAYERS),
        ("chips", np.int16, MAX_PLAYERS),  # achieved, as bits
        ("slot_tile", np.int16),
        ("mission_pile", np.int16, MAX_PILED),  # next tile last
        ("num_mission_pile", np.int16),
        ("emergency", np.int16, MAX_PILED),  # in the order revealed
        ("num_emergency", np.int16),
        ("set_aside", np.int16, MAX_PILED),  # in the order set aside
        ("num_set_aside", np.int16),
        ("acquired", np.int16, (MAX_PLAYERS, MAX_PILED)),  # in the order acquired
        ("num_acquired", np.int16, MAX_PLAYERS),
        ("hand", np.int64, MAX_PLAYERS),  # cards as bits
        ("pile", np.int16, MAX_PILE),  # face down, next card last
        ("pile_size", np.int16),
        ("aside", np.int16, MAX_PLAYERS),  # not dealt: as many as seats, with eleven cards only
        ("placed", np.int16, MAX_PLAYERS),  # the card each seat placed, or NO_CARD
        ("drawn", np.int64),  # cards the chooser has seen, as bits
        ("trump_card", np.int16),  # or NO_CARD
        ("num_tricks", np.int16),  # finished
        ("in_trick", np.int16),  # cards in the current trick
        ("cards", np.int16, (NUM_TRICKS, MAX_PLAYERS)),  # by trick, the current one too, as played
        ("winners", np.int16, NUM_TRICKS),  # of the finished tricks
        ("best_card", np.int16),  # wins the current trick so far; 0 while it is empty
        ("best_seat", np.int16),  # its player
        ("played", np.int64, MAX_PLAYERS),  # cards of this round, as bits
        ("rooms", np.int16, MAX_PLAYERS),  # tricks taken, as bits
        ("collected", np.int16, (MAX_PLAYERS, NUM_COLOURS)),  # cards in the rooms
        ("void", np.int16, MAX_PLAYERS),  # colours not followed, as bits
        ("last_number", np.int16),  # the last finished round, 0 = none; what follows is of it
        ("last_dealer", np.int16),
        ("last_trump", np.int16),
        ("last_cards", np.int16, (NUM_TRICKS, MAX_PLAYERS)),
        ("last_winners", np.int16, NUM_TRICKS),
        ("last_met", np.int16, NUM_MISSIONS),  # seats as bits
        ("last_flipped", np.int16, NUM_MISSIONS),  # seats as bits
        ("last_tiles", np.int16, MAX_PILED),  # the emergency tiles
        ("last_tiles_met", np.int16, MAX_PILED),  # seats as bits
        ("last_num_tiles", np.int16),
    ]
)


@njit
def top_rank(players: int) -> int:
    """Return the highest rank of the deck in use (1)."""
    return 3 * players


@njit
def num_rounds(players: int) -> int:
    """Return the number of rounds (1)."""
    return 4 if players == MIN_PLAYERS else 5


@njit
def colour_of(card: int) -> int:
    """Return the colour of a card (2)."""
    return card // NUM_RANKS


@njit
def init(s: np.record, players: int, options: np.ndarray, seed: int) -> None:
    """Set up a game (4): slot tile, mission pile, first dealer; `options` is (eleven_cards,)."""
    s.rng = seed
    s.players, s.eleven_cards = players, options[0]
    tiles = np.empty(NUM_TILES, np.int16)
    count = 0
    for tile in range(NUM_TILES):
        if in_use(tile, players):
            tiles[count] = tile
            count += 1
    shuffle(s, tiles, count)
    s.num_mission_pile = count - 1
    s.mission_pile[: count - 1] = tiles[: count - 1]
    s.slot_tile = tiles[count - 1]
    s.dealer = draw_below(s, players)
    s.chooser = NOBODY
    s.round_number = 1
    start_round(s)


@njit
def start_round(s: np.record) -> None:
    """Start the round whose number, dealer and chooser are set (8.1)."""
    lay_out_emergency_tiles(s)
    deal(s)
    if s.eleven_cards == 1:
        s.phase = PLACE
        s.to_act = s.dealer
    else:
        find_trump(s)


@njit
def lay_out_emergency_tiles(s: np.record) -> None:
    """Reveal the emergency missions of the round; in the last one all that are left (8.1, R7)."""
    is_last = s.round_number == num_rounds(s.players)
    count = s.num_mission_pile
    if not is_last:
        count = min(count, 3 if s.players == MIN_PLAYERS else s.round_number)
    for index in range(count):
        s.num_mission_pile -= 1
        s.emergency[index] = s.mission_pile[s.num_mission_pile]
        s.mission_pile[s.num_mission_pile] = 0
    s.num_emergency = count
    if is_last:
        for index in range(s.num_set_aside):
            s.emergency[s.num_emergency] = s.set_aside[index]
            s.num_emergency += 1
        s.set_aside[:] = 0
        s.num_set_aside = 0


@njit
def deal(s: np.record) -> None:
    """Shuffle the deck, deal ten cards or eleven to each seat, clear the table (8.1)."""
    deck = np.empty(NUM_CARDS, np.int16)
    left = 0
    for colour in range(NUM_COLOURS):
        for rank in range(top_rank(s.players)):
            deck[left] = colour * NUM_RANKS + rank
            left += 1
    shuffle(s, deck, left)
    for seat in range(s.players):
        hand = 0
        for _ in range(HAND_SIZE + s.eleven_cards):
            left -= 1
            hand |= 1 << int(deck[left])
        s.hand[seat] = hand
        s.played[seat] = 0
        s.rooms[seat] = 0
        s.void[seat] = 0
    s.pile[:] = 0
    if s.eleven_cards == 1:
        s.pile_size = 0
        s.aside[:left] = deck[:left]
    else:
        s.pile_size = left
        s.pile[:left] = deck[:left]
    s.placed[:] = NO_CARD
    s.drawn = 0
    s.trump_card = NO_CARD
    s.num_tricks = 0
    s.in_trick = 0
    s.cards[:] = 0
    s.winners[:] = 0
    s.best_card = 0
    s.best_seat = 0
    s.collected[:] = 0


@njit
def find_trump(s: np.record) -> None:
    """Turn the trump card, or let the chooser draw three (8.3, R10)."""
    if s.chooser == NOBODY:
        turn_trump(s, s.pile_size - 1)
        return
    for index in range(s.pile_size - MAX_DRAWN, s.pile_size):
        s.drawn |= 1 << int(s.pile[index])
    s.phase = TRUMP
    s.to_act = s.chooser


@njit
def turn_trump(s: np.record, place: int) -> None:
    """Make the card at that place of the pile the trump card; the dealer leads (8.3, 8.4)."""
    s.trump_card = s.pile[place]
    s.pile_size -= 1
    for index in range(place, s.pile_size):
        s.pile[index] = s.pile[index + 1]
    s.pile[s.pile_size] = 0
    s.phase = PLAY
    s.to_act = s.dealer


@njit
def next_seat(s: np.record, seat: int) -> int:
    """Return the seat clockwise of `seat`."""
    return seat + 1 if seat + 1 < s.players else 0


@njit
def leader(s: np.record) -> int:
    """Return who leads or led the current trick: the dealer or the last winner (5)."""
    return s.dealer if s.num_tricks == 0 else s.winners[s.num_tricks - 1]


@njit
def legal(s: np.record, mask: np.ndarray) -> None:
    """Fill `mask` int8[180] with the legal actions of the acting seat (6, 7); zeros when over."""
    mask[:] = 0
    if s.phase == PLAY:
        mark(playable(s, s.to_act), mask, PLAY_AT)
    elif s.phase == PLACE:
        mark(s.hand[s.to_act], mask, PLACE_AT)
    elif s.phase == TRUMP:
        mark(s.drawn, mask, REVEAL_AT)


@njit
def mark(cards: int, out: np.ndarray, at: int) -> None:
    """Write the set `cards` into the 60 elements of `out` from `at`: 1 for each card in it."""
    for card in range(NUM_CARDS):
        out[at + card] = (cards >> card) & 1


@njit
def playable(s: np.record, seat: int) -> int:
    """Return the cards, as bits, that `seat` may play: the led colour must be followed (6, R1)."""
    hand = s.hand[seat]
    if s.in_trick > 0:
        following = hand & of_colour(colour_of(s.cards[s.num_tricks, 0]))
        if following != 0:
            return following
    return hand


@njit
def of_colour(colour: int) -> int:
    """Return all cards of a colour as bits."""
    return COLOUR_CARDS << (NUM_RANKS * int(colour))


@njit
def step(s: np.record, action: int) -> None:
    """Apply a legal action, up to the next decision or the end of the game (8)."""
    if action < PLACE_AT:
        play(s, action)
    elif action < REVEAL_AT:
        place(s, action - PLACE_AT)
    else:
        reveal(s, action - REVEAL_AT)


@njit
def place(s: np.record, card: int) -> None:
    """Put a card of the hand face down; after the last one the pile is shuffled (8.2, R25)."""
    seat = s.to_act
    s.hand[seat] ^= 1 << int(card)
    s.placed[seat] = card
    s.pile[s.pile_size] = card
    s.pile_size += 1
    s.to_act = next_seat(s, seat)
    if s.pile_size == s.players:
        shuffle(s, s.pile, s.players)
        find_trump(s)


@njit
def reveal(s: np.record, card: int) -> None:
    """Make one of the drawn cards the trump card (8.4, R11)."""
    index = s.pile_size - 1
    while s.pile[index] != card:
        index -= 1
    turn_trump(s, index)


@njit
def play(s: np.record, card: int) -> None:
    """Play a card; the last one of a trick ends it (8.5)."""
    seat = s.to_act
    bit = 1 << int(card)
    s.hand[seat] ^= bit
    s.played[seat] |= bit
    s.cards[s.num_tricks, s.in_trick] = card
    if s.in_trick == 0 or beats(card, s.best_card, s.trump_card):
        s.best_card, s.best_seat = card, seat
    led = colour_of(s.cards[s.num_tricks, 0])
    if colour_of(card) != led:
        s.void[seat] |= 1 << int(led)
    s.in_trick += 1
    s.to_act = next_seat(s, seat)
    if s.in_trick == s.players:
        take_trick(s)


@njit
def beats(card: int, best: int, trump_card: int) -> bool:
    """Tell whether `card` beats `best`, the card that wins the trick so far (8.5)."""
    colour, trump = colour_of(card), colour_of(trump_card)
    if colour == colour_of(best):
        return card > best
    return colour == trump


@njit
def take_trick(s: np.record) -> None:
    """Put the finished trick into its room of the winner, who leads the next (8.5, R2)."""
    winner = s.best_seat
    for index in range(s.players):
        s.collected[winner, colour_of(s.cards[s.num_tricks, index])] += 1
    s.winners[s.num_tricks] = winner
    s.rooms[winner] |= 1 << int(s.num_tricks)
    s.num_tricks += 1
    s.in_trick = 0
    s.best_card = 0
    s.best_seat = 0
    s.to_act = winner
    if s.num_tricks == NUM_TRICKS:
        end_round(s)


@njit
def end_round(s: np.record) -> None:
    """Check all missions, then start the next round or end the game (8.6, R29)."""
    s.last_number = s.round_number
    s.last_dealer = s.dealer
    s.last_trump = s.trump_card
    s.last_cards[:] = s.cards
    s.last_winners[:] = s.winners
    check_basic_missions(s)
    check_emergency_missions(s)
    if s.round_number == num_rounds(s.players):
        s.phase = OVER_PHASE
        s.to_act = OVER
        return
    s.chooser = next_chooser(s)
    s.dealer = s.winners[NUM_TRICKS - 1]
    s.round_number += 1
    start_round(s)


@njit
def next_chooser(s: np.record) -> int:
    """Return the only seat without a trick in this round, or NOBODY (8.6, R10)."""
    chooser, count = NOBODY, 0
    for seat in range(s.players):
        if s.rooms[seat] == 0:
            chooser = seat
            count += 1
    return chooser if count == 1 else NOBODY


@njit
def check_basic_missions(s: np.record) -> None:
    """Check 1/6 to 5/10 in order; whoever may flip its chip does (8.6, R17)."""
    for mission in range(NUM_MISSIONS):
        condition = condition_of(mission, s.slot_tile)
        met = who_meets(condition, s.round_number, s.players, s.rooms, s.collected)
        may = met if mission == MISSION_2_7 else neediest(s, met)  # (R18)
        flipped = 0
        for seat in range(s.players):
            if (may >> seat) & 1 and not (s.chips[seat] >> mission) & 1:
                s.chips[seat] |= 1 << mission
                s.score[seat] += CHIP_POINTS
                flipped |= 1 << seat
        s.last_met[mission] = met
        s.last_flipped[mission] = flipped


@njit
def neediest(s: np.record, met: int) -> int:
    """Return the one of these seats with the fewest achieved chips, as bits (8.6, R12, R13).

    Nobody if two or more share that number (R16).
    """
    chosen, fewest = 0, NUM_MISSIONS + 1
    for seat in range(s.players):
        if (met >> seat) & 1:
            achieved = NUM_TAKEN[s.chips[seat]]
            if achieved < fewest:
                chosen, fewest = 1 << seat, achieved
            elif achieved == fewest:
                chosen = 0
    return chosen


@njit
def check_emergency_missions(s: np.record) -> None:
    """Give each tile to the only seat that meets it, or set it aside (8.6, R22)."""
    for index in range(s.num_emergency):
        tile = s.emergency[index]
        met = who_meets(tile, s.round_number, s.players, s.rooms, s.collected)
        winner = only_seat(met)
        if winner == NOBODY:
            s.set_aside[s.num_set_aside] = tile
            s.num_set_aside += 1
        else:
            s.acquired[winner, s.num_acquired[winner]] = tile
            s.num_acquired[winner] += 1
            s.score[winner] += TILE_POINTS[tile]
        s.last_tiles_met[index] = met
    for index in range(s.num_emergency, s.last_num_tiles):
        s.last_tiles_met[index] = 0
    s.last_tiles[:] = s.emergency
    s.last_num_tiles = s.num_emergency
    s.emergency[:] = 0
    s.num_emergency = 0


@njit
def outcome(s: np.record, scores: np.ndarray, places: np.ndarray) -> None:
    """Fill the live `scores` and the `places` (number of seats ahead, after tie-breaks; 9).

    Both int64[>= players]. Places mean something at the end only; every seat at place 0 wins.
    """
    for seat in range(s.players):
        scores[seat] = s.score[seat]
        places[seat] = 0
        for other in range(s.players):
            if rank_value(s, other) > rank_value(s, seat):
                places[seat] += 1


@njit
def rank_value(s: np.record, seat: int) -> int:
    """Return what seats are compared by: points, then chips, then acquired tiles (9)."""
    chips = NUM_TAKEN[s.chips[seat]]
    return (int(s.score[seat]) * (NUM_MISSIONS + 1) + chips) * NUM_TILES + s.num_acquired[seat]
