"""What a seat of Pompiers! may know: the observation (12 of docs/rules/pompiers.md)."""

import numpy as np

from ..compiled import njit
from ..encoding import relative
from ..game import blocks
from .missions import (
    LONGEST_RUN,
    MAX_PLAYERS,
    NOBODY,
    NUM_MISSIONS,
    NUM_PAIRS,
    NUM_TAKEN,
    NUM_TILES,
    NUM_TRICKS,
    TRICKS_BELOW,
)
from .rules import (
    HAND_SIZE,
    MIN_PLAYERS,
    NO_CARD,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_RANKS,
    OVER,
    OVER_PHASE,
    PHASES,
    PLACE,
    PLAY,
    colour_of,
    leader,
    mark,
    num_rounds,
)

MAX_ROUNDS = 5
# A product is several times faster than a quotient, and there are some fifty in an observation.
PER_RANK, PER_TRICK, PER_PAIR = 1 / NUM_RANKS, 1 / NUM_TRICKS, 1 / TRICKS_BELOW
PER_HAND, PER_CHIP, PER_POINT = 1 / (HAND_SIZE + 1), 1 / NUM_MISSIONS, 1 / 70
PER_ROUND = 1 / (MAX_ROUNDS - 1)
# The deck in use as bits, by the number of seats
DECKS = np.array(
    [
        sum(1 << card for card in range(NUM_CARDS) if card % NUM_RANKS < 3 * players)
        for players in range(MAX_PLAYERS + 1)
    ]
)
BLOCKS = blocks(
    ("hand", NUM_CARDS, "own hand, by card"),
    ("unseen", NUM_CARDS, "cards of the deck in use neither in own hand nor played nor known_out"),
    ("known_out", NUM_CARDS, "trump card, own placed card, cards drawn as the chooser"),
    ("table", NUM_CARDS, "cards of the current trick"),
    (
        "played_by",
        MAX_PLAYERS * NUM_CARDS,
        "relative seats: cards played this round, current trick included",
    ),
    ("best_card", NUM_CARDS, "one-hot: wins the current trick so far"),
    ("best_seat", MAX_PLAYERS, "one-hot, relative seat: its player"),
    ("in_trick", MAX_PLAYERS, "relative seats: have played to the current trick"),
    ("led", NUM_COLOURS, "one-hot R, B, Y, K: led colour; zeros if no card yet"),
    ("trump", NUM_COLOURS, "one-hot R, B, Y, K: trump colour; zeros until known"),
    (
        "room_owner",
        NUM_TRICKS * MAX_PLAYERS,
        "trick by trick, one-hot, relative seat: took the trick",
    ),
    ("trick_number", NUM_TRICKS, "phase play, one-hot: current trick"),
    (
        "collected",
        MAX_PLAYERS * NUM_COLOURS,
        "relative seats: cards of each colour in the rooms / 15",
    ),
    ("taken", MAX_PLAYERS, "relative seats: tricks taken / 10"),
    ("pairs", MAX_PLAYERS, "relative seats: vertical pairs / 5"),
    ("run_best", MAX_PLAYERS, "relative seats: longest run of tricks / 10"),
    ("run_now", MAX_PLAYERS, "relative seats: run that ends with the last finished trick / 10"),
    (
        "void",
        MAX_PLAYERS * NUM_COLOURS,
        "relative seats: colours that the seat failed to follow this round",
    ),
    ("hand_size", MAX_PLAYERS, "relative seats: cards in hand / 11"),
    ("placed_done", MAX_PLAYERS, "phase place, relative seats: has placed"),
    ("chips", MAX_PLAYERS * NUM_MISSIONS, "relative seats: achieved 1/6, 2/7, 3/8, 4/9, 5/10"),
    ("unachieved", MAX_PLAYERS, "relative seats: unachieved chips / 5"),
    ("slot_tile", NUM_TILES, "one-hot: tile of the mission 3/8"),
    ("emergency", NUM_TILES, "tiles open this round"),
    ("set_aside", NUM_TILES, "tiles set aside"),
    ("acquired", MAX_PLAYERS * NUM_TILES, "relative seats: tiles acquired"),
    ("to_come", NUM_TILES, "tiles in use that nobody has seen yet"),
    ("scores", MAX_PLAYERS, "relative seats: score / 70"),
    ("dealer", MAX_PLAYERS, "one-hot, relative seat"),
    ("leader", MAX_PLAYERS, "one-hot, relative seat: leads the current trick"),
    ("to_act", MAX_PLAYERS, "one-hot, relative seat: acts now; zeros when over"),
    ("chooser", MAX_PLAYERS, "one-hot, relative seat: picks the trump card; zeros if nobody"),
    ("round", MAX_ROUNDS, "one-hot round number"),
    ("rounds_left", 1, "rounds after this one / 4"),
    ("phase", len(PHASES) - 1, "one-hot: place, trump, play; zeros when over"),
    ("players", MAX_PLAYERS - MIN_PLAYERS + 1, "one-hot: 3, 4, 5 seats"),
    ("eleven", 1, "option eleven_cards"),
)
(
    HAND_AT,
    UNSEEN_AT,
    KNOWN_OUT_AT,
    TABLE_AT,
    PLAYED_BY_AT,
    BEST_CARD_AT,
    BEST_SEAT_AT,
    IN_TRICK_AT,
    LED_AT,
    TRUMP_AT,
    ROOM_OWNER_AT,
    TRICK_NUMBER_AT,
    COLLECTED_AT,
    TAKEN_AT,
    PAIRS_AT,
    RUN_BEST_AT,
    RUN_NOW_AT,
    VOID_AT,
    HAND_SIZE_AT,
    PLACED_DONE_AT,
    CHIPS_AT,
    UNACHIEVED_AT,
    SLOT_TILE_AT,
    EMERGENCY_AT,
    SET_ASIDE_AT,
    ACQUIRED_AT,
    TO_COME_AT,
    SCORES_AT,
    DEALER_AT,
    LEADER_AT,
    TO_ACT_AT,
    CHOOSER_AT,
    ROUND_AT,
    ROUNDS_LEFT_AT,
    PHASE_AT,
    PLAYERS_AT,
    ELEVEN_AT,
) = (block.offset for block in BLOCKS)


@njit
def known_out(s: np.record, seat: int) -> int:
    """Return the cards out of play that `seat` knows, as bits (11, R26)."""
    cards = 0
    if s.trump_card != NO_CARD:
        cards |= 1 << int(s.trump_card)
    if s.placed[seat] != NO_CARD:
        cards |= 1 << int(s.placed[seat])
    if s.chooser == seat:
        cards |= int(s.drawn)
    return cards


@njit
def unseen_cards(s: np.record, seat: int) -> int:
    """Return the cards of the deck in use that `seat` cannot place, as bits (12)."""
    seen = known_out(s, seat) | s.hand[seat]
    for other in range(s.players):
        seen |= s.played[other]
    return DECKS[s.players] & ~seen


@njit
def hand_size(s: np.record, seat: int) -> int:
    """Return how many cards `seat` holds (6)."""
    if s.phase == PLACE and s.placed[seat] == NO_CARD:
        return HAND_SIZE + 1
    has_played = relative(s, seat, leader(s)) < s.in_trick
    return HAND_SIZE - s.num_tricks - (1 if has_played else 0)


@njit
def run_now(s: np.record) -> int:
    """Return the length of the run that ends with the last finished trick, which is there."""
    last = s.num_tricks - 1
    first = last
    while first > 0 and s.winners[first - 1] == s.winners[last]:
        first -= 1
    return last - first + 1


@njit
def observe(s: np.record, seat: int, out: np.ndarray) -> None:
    """Write what `seat` may know into `out`, float32[942]: the blocks of section 12.

    `seat` must be below `s.players`; the public `State.observation` raises ValueError otherwise.
    """
    out[:] = 0
    observe_table(s, seat, out)
    observe_cards(s, seat, out)
    for other in range(s.players):
        observe_seat(s, other, relative(s, other, seat), out)
    out[SLOT_TILE_AT + s.slot_tile] = 1
    observe_tiles(s.emergency, s.num_emergency, out, EMERGENCY_AT)
    observe_tiles(s.set_aside, s.num_set_aside, out, SET_ASIDE_AT)
    observe_tiles(s.mission_pile, s.num_mission_pile, out, TO_COME_AT)
    out[DEALER_AT + relative(s, s.dealer, seat)] = 1
    out[LEADER_AT + relative(s, leader(s), seat)] = 1
    if s.to_act != OVER:
        out[TO_ACT_AT + relative(s, s.to_act, seat)] = 1
    if s.chooser != NOBODY:
        out[CHOOSER_AT + relative(s, s.chooser, seat)] = 1
    out[ROUND_AT + s.round_number - 1] = 1
    out[ROUNDS_LEFT_AT] = (num_rounds(s.players) - s.round_number) * PER_ROUND
    if s.phase != OVER_PHASE:
        out[PHASE_AT + s.phase] = 1
    out[PLAYERS_AT + s.players - MIN_PLAYERS] = 1
    out[ELEVEN_AT] = s.eleven_cards


@njit
def observe_table(s: np.record, seat: int, out: np.ndarray) -> None:
    """Write the blocks of the current trick and of the finished ones."""
    for number in range(s.num_tricks):
        owner = relative(s, s.winners[number], seat)
        out[ROOM_OWNER_AT + number * MAX_PLAYERS + owner] = 1
    if s.num_tricks > 0:
        last = relative(s, s.winners[s.num_tricks - 1], seat)
        out[RUN_NOW_AT + last] = run_now(s) * PER_TRICK
    if s.trump_card != NO_CARD:
        out[TRUMP_AT + colour_of(s.trump_card)] = 1
    if s.phase == PLAY:
        out[TRICK_NUMBER_AT + s.num_tricks] = 1
    if s.in_trick > 0:
        first = relative(s, leader(s), seat)
        for turn in range(s.in_trick):
            player = first + turn if first + turn < s.players else first + turn - s.players
            out[IN_TRICK_AT + player] = 1
            out[TABLE_AT + s.cards[s.num_tricks, turn]] = 1
        out[LED_AT + colour_of(s.cards[s.num_tricks, 0])] = 1
        out[BEST_CARD_AT + s.best_card] = 1
        out[BEST_SEAT_AT + relative(s, s.best_seat, seat)] = 1


@njit
def observe_cards(s: np.record, seat: int, out: np.ndarray) -> None:
    """Write the blocks of cards: own hand, unseen, known to be out, played by each seat."""
    mark(s.hand[seat], out, HAND_AT)
    mark(unseen_cards(s, seat), out, UNSEEN_AT)
    mark(known_out(s, seat), out, KNOWN_OUT_AT)
    if s.phase == PLAY or s.phase == OVER_PHASE:
        for other in range(s.players):
            mark(s.played[other], out, PLAYED_BY_AT + relative(s, other, seat) * NUM_CARDS)


@njit
def observe_seat(s: np.record, other: int, k: int, out: np.ndarray) -> None:
    """Write what is known of the seat `other`, k places clockwise of the observer."""
    rooms = s.rooms[other]
    for colour in range(NUM_COLOURS):
        out[COLLECTED_AT + k * NUM_COLOURS + colour] = s.collected[other, colour] * PER_RANK
        out[VOID_AT + k * NUM_COLOURS + colour] = (s.void[other] >> colour) & 1
    out[TAKEN_AT + k] = NUM_TAKEN[rooms] * PER_TRICK
    out[PAIRS_AT + k] = NUM_PAIRS[rooms] * PER_PAIR
    out[RUN_BEST_AT + k] = LONGEST_RUN[rooms] * PER_TRICK
    out[HAND_SIZE_AT + k] = hand_size(s, other) * PER_HAND
    if s.phase == PLACE and s.placed[other] != NO_CARD:
        out[PLACED_DONE_AT + k] = 1
    for mission in range(NUM_MISSIONS):
        out[CHIPS_AT + k * NUM_MISSIONS + mission] = (s.chips[other] >> mission) & 1
    out[UNACHIEVED_AT + k] = (NUM_MISSIONS - NUM_TAKEN[s.chips[other]]) * PER_CHIP
    observe_tiles(s.acquired[other], s.num_acquired[other], out, ACQUIRED_AT + k * NUM_TILES)
    out[SCORES_AT + k] = s.score[other] * PER_POINT


@njit
def observe_tiles(tiles: np.ndarray, count: int, out: np.ndarray, at: int) -> None:
    """Mark the first `count` of `tiles` in the 14 elements of `out` from `at`."""
    for index in range(count):
        out[at + tiles[index]] = 1
