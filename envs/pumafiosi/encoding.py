"""What a seat of Pumafiosi may know: the observation (12) and sampling of what it cannot (11)."""

import numpy as np

from ..compiled import njit
from ..encoding import relative
from ..game import blocks
from ..rng import shuffle
from .rules import (
    CARD,
    CASUALTY,
    CO_OWNER,
    HAND_SIZE,
    ITEM,
    MAX_PLAYERS,
    NOBODY,
    NOTEBOOK,
    NUM_CARDS,
    NUM_ITEMS,
    NUM_ROUNDS,
    NUM_STEPS,
    OVER,
    OVER_PHASE,
    OWNER,
    PILE_SIZE,
    PLACE,
    PLAY,
    RING_WINDOW,
    TONY,
    find_step,
    may_lie_at,
    score_now,
    strength,
    take_in_hand,
)

TONY_PLACE = MAX_PLAYERS  # Tony's index where the seats come in relative order
NUM_PLACES = MAX_PLAYERS + 1
TABLE_FIELDS, RANK_FIELDS = 4, 5
# A product is several times faster than a quotient, and there are some fifty in an observation.
PER_CARD, PER_STRENGTH, PER_POINT = 1 / NUM_CARDS, 1 / strength(NUM_CARDS, 1), 1 / 100
PER_HAND, PER_PILE, PER_TABLE = 1 / HAND_SIZE, 1 / PILE_SIZE, 1 / 5
STEP_FIELDS = 2 + NUM_PLACES + MAX_PLAYERS + NUM_ITEMS - 1

BLOCKS = blocks(
    ("players", 4, "one-hot: 2, 3, 4, 5 seats"),
    ("options", 2, "items; three games"),
    ("phase", 4, "one-hot: play, place, ring, over"),
    ("to_act", MAX_PLAYERS, "one-hot, relative seat: acts now; zeros when over"),
    ("game", 4, "one-hot game number; games still to come / 2"),
    ("round", NUM_ROUNDS, "one-hot round number"),
    ("lead", MAX_PLAYERS, "one-hot, relative seat: leads the round"),
    ("yet_to_play", MAX_PLAYERS, "relative seats: phase play and no card on the table yet"),
    ("age", MAX_PLAYERS, "relative seats: index in the age order / 4"),
    ("hand_size", MAX_PLAYERS, "relative seats: cards in hand / 3"),
    ("pile_size", MAX_PLAYERS, "relative seats: cards in the pile / 7"),
    ("hand", NUM_CARDS, "own hand, by card"),
    ("unseen", NUM_CARDS, "cards neither in own hand nor played in this game"),
    (
        "played",
        NUM_PLACES * NUM_CARDS,
        "relative seats, then Tony: cards played in this game, by card",
    ),
    (
        "table",
        NUM_PLACES * TABLE_FIELDS,
        "relative seats, then Tony: a card lies there; number / 55; machine gun; strength / 65.5",
    ),
    (
        "hand_rank",
        HAND_SIZE * RANK_FIELDS,
        "own hand ascending: present; number / 55; table cards above it / 5; the same above it "
        "with a machine gun / 5; share of unseen cards above it",
    ),
    (
        "pending",
        1 + NUM_STEPS,
        "phase place: number / 55 of the card to be placed; steps it may go to",
    ),
    ("ring", 1 + NUM_STEPS, "phase ring: number / 55 of the target; one-hot of its step"),
    (
        "steps",
        CASUALTY * STEP_FIELDS,
        "steps 10 to 1: occupied; number / 55; owner one-hot (relative seats, then Tony); "
        "co-owner one-hot (relative seats); item one-hot: vest, notebook, ring",
    ),
    (
        "casualty",
        2 * MAX_PLAYERS + 1,
        "relative seats: cards there / 10; relative seats: a notebook there; Tony's cards / 10",
    ),
    ("represented", MAX_PLAYERS, "relative seats: has a card in the hierarchy"),
    ("score", MAX_PLAYERS, "relative seats: score / 100, clipped to [-1, 1]"),
    ("projected", MAX_PLAYERS, "relative seats: score if the game were scored now / 100, clipped"),
    ("items", MAX_PLAYERS * NUM_ITEMS, "relative seats: unused machine gun, vest, notebook, ring"),
)
(
    PLAYERS_AT,
    OPTIONS_AT,
    PHASE_AT,
    TO_ACT_AT,
    GAME_AT,
    ROUND_AT,
    LEAD_AT,
    YET_TO_PLAY_AT,
    AGE_AT,
    HAND_SIZE_AT,
    PILE_SIZE_AT,
    HAND_AT,
    UNSEEN_AT,
    PLAYED_AT,
    TABLE_AT,
    HAND_RANK_AT,
    PENDING_AT,
    RING_AT,
    STEPS_AT,
    CASUALTY_AT,
    REPRESENTED_AT,
    SCORE_AT,
    PROJECTED_AT,
    ITEMS_AT,
) = (block.offset for block in BLOCKS)


@njit
def unseen_cards(s: np.record, seat: int, unseen: np.ndarray) -> int:
    """Mark in `unseen` [>= 55], by card - 1, what `seat` has not seen this game; count it."""
    unseen[:NUM_CARDS] = 1
    for place in range(s.hand_size[seat]):
        unseen[s.hand[seat, place] - 1] = 0
    for other in range(s.players):
        for turn in range(s.num_played[other]):
            unseen[s.played[other, turn] - 1] = 0
    for turn in range(s.num_tony_played):
        unseen[s.tony_played[turn] - 1] = 0
    count = NUM_CARDS - s.hand_size[seat] - s.num_tony_played
    for other in range(s.players):
        count -= s.num_played[other]
    return count


@njit
def stronger_on_table(s: np.record, value: int) -> int:
    """Count the cards on the table, Tony's included, above `value` (twice a strength)."""
    count = 1 if strength(s.tony_card, 0) > value else 0
    for seat in range(s.players):
        if s.table[seat] > 0 and strength(s.table[seat], s.gun[seat]) > value:
            count += 1
    return count


@njit
def observe(s: np.record, seat: int, out: np.ndarray) -> None:
    """Write what `seat` may know into `out`, float32[727]: the blocks of section 12.

    `seat` must be below `s.players`; the public `State.observation` raises ValueError otherwise.
    """
    out[:] = 0
    out[PLAYERS_AT + s.players - 2] = 1
    out[OPTIONS_AT] = s.items_option
    out[OPTIONS_AT + 1] = 1 if s.games == 3 else 0
    out[PHASE_AT + s.phase] = 1
    out[GAME_AT + s.game_number - 1] = 1
    out[GAME_AT + 3] = (s.games - s.game_number) / 2
    out[ROUND_AT + s.round_number - 1] = 1
    out[LEAD_AT + relative(s, s.start_seat, seat)] = 1
    if s.to_act != OVER:
        out[TO_ACT_AT + relative(s, s.to_act, seat)] = 1
    observe_seats(s, seat, out)
    observe_cards(s, seat, out)
    observe_decision(s, seat, out)
    observe_hierarchy(s, seat, out)


@njit
def observe_seats(s: np.record, seat: int, out: np.ndarray) -> None:
    """Write the blocks with one value or row a seat: sizes, ages, table, scores, items."""
    projected = out[SCORE_AT : SCORE_AT + MAX_PLAYERS]  # by seat for now: new memory costs more
    represented = score_now(s, projected)
    for age in range(s.players):
        out[AGE_AT + relative(s, s.age_order[age], seat)] = age / 4
    for other in range(s.players):
        k = relative(s, other, seat)
        if s.phase == OVER_PHASE:
            projected[other] = s.wealth[other] - s.penalty[other]
        out[PROJECTED_AT + k] = min(max(int(projected[other]) * PER_POINT, -1.0), 1.0)
    for other in range(s.players):
        k = relative(s, other, seat)
        score = s.wealth[other] - s.penalty[other]
        if s.phase == PLAY and s.table[other] == 0:
            out[YET_TO_PLAY_AT + k] = 1
        out[HAND_SIZE_AT + k] = s.hand_size[other] * PER_HAND
        out[PILE_SIZE_AT + k] = s.pile_size[other] * PER_PILE
        out[SCORE_AT + k] = min(max(score * PER_POINT, -1.0), 1.0)
        out[REPRESENTED_AT + k] = represented >> (other + 1) & 1
        for item in range(NUM_ITEMS * s.items_option):
            out[ITEMS_AT + k * NUM_ITEMS + item] = s.unused[other, item]
        observe_table(out, k, s.table[other], s.gun[other])
        for turn in range(s.num_played[other]):
            out[PLAYED_AT + k * NUM_CARDS + s.played[other, turn] - 1] = 1
    observe_table(out, TONY_PLACE, s.tony_card, 0)
    for turn in range(s.num_tony_played):
        out[PLAYED_AT + TONY_PLACE * NUM_CARDS + s.tony_played[turn] - 1] = 1


@njit
def observe_table(out: np.ndarray, k: int, card: int, gun: int) -> None:
    """Write one row of the block `table`."""
    if card > 0:
        at = TABLE_AT + k * TABLE_FIELDS
        out[at] = 1
        out[at + 1] = card * PER_CARD
        out[at + 2] = gun
        out[at + 3] = strength(card, gun) * PER_STRENGTH


@njit
def observe_cards(s: np.record, seat: int, out: np.ndarray) -> None:
    """Write own hand, unseen cards and how the hand compares with table and unseen cards."""
    unseen = out[UNSEEN_AT : UNSEEN_AT + NUM_CARDS]
    num_unseen = unseen_cards(s, seat, unseen)
    higher, next_higher = 0, NUM_CARDS  # unseen cards above this one; the own card above it
    for place in range(s.hand_size[seat] - 1, -1, -1):
        card = s.hand[seat, place]
        out[HAND_AT + card - 1] = 1
        at = HAND_RANK_AT + place * RANK_FIELDS
        out[at] = 1
        out[at + 1] = card * PER_CARD
        out[at + 2] = stronger_on_table(s, strength(card, 0)) * PER_TABLE
        out[at + 3] = stronger_on_table(s, strength(card, 1)) * PER_TABLE
        for index in range(card, next_higher):
            higher += int(unseen[index])
        next_higher = card
        if num_unseen > 0:
            out[at + 4] = higher / num_unseen


@njit
def observe_decision(s: np.record, seat: int, out: np.ndarray) -> None:  # noqa: ARG001
    """Write the card to be placed, or the target of the ring; both are public."""
    if s.phase == PLACE:
        card = s.table[s.to_act]
        out[PENDING_AT] = card * PER_CARD
        for step_index in range(NUM_STEPS):
            out[PENDING_AT + 1 + step_index] = 1 if may_lie_at(s, card, step_index) else 0
    elif s.phase == RING_WINDOW:
        out[RING_AT] = s.ring_target * PER_CARD
        out[RING_AT + 1 + find_step(s, s.ring_target)] = 1


@njit
def observe_hierarchy(s: np.record, seat: int, out: np.ndarray) -> None:
    """Write the blocks `steps` and `casualty`."""
    for step_index in range(CASUALTY):
        entry = s.column[step_index]
        if entry[CARD] == 0:
            continue
        at = STEPS_AT + step_index * STEP_FIELDS
        out[at] = 1
        out[at + 1] = entry[CARD] * PER_CARD
        k = TONY_PLACE if entry[OWNER] == TONY else relative(s, entry[OWNER] - 1, seat)
        out[at + 2 + k] = 1
        if entry[CO_OWNER] != NOBODY:
            out[at + 2 + NUM_PLACES + relative(s, entry[CO_OWNER] - 1, seat)] = 1
        if entry[ITEM] > 0:
            out[at + 2 + NUM_PLACES + MAX_PLAYERS + entry[ITEM] - 1] = 1
    tony_at = CASUALTY_AT + 2 * MAX_PLAYERS
    for index in range(s.num_casualty):
        entry = s.casualty[index]
        if entry[OWNER] == TONY:
            out[tony_at] += 1
            continue
        k = relative(s, entry[OWNER] - 1, seat)
        out[CASUALTY_AT + k] += 1
        if entry[ITEM] == NOTEBOOK:
            out[CASUALTY_AT + MAX_PLAYERS + k] = 1
        if entry[CO_OWNER] != NOBODY:
            out[CASUALTY_AT + relative(s, entry[CO_OWNER] - 1, seat)] += 1
    if s.num_casualty > 0:
        for k in range(MAX_PLAYERS):
            out[CASUALTY_AT + k] /= NUM_ROUNDS
        out[tony_at] /= NUM_ROUNDS


@njit
def determinize(s: np.record, seat: int, seed: int) -> None:
    """Deal anew, uniformly, all that `seat` cannot know (11); the generator restarts from `seed`.

    Hidden are the other hands, all piles, the undealt cards and the decks of the games to come.
    Every deal of the unseen cards is equally likely: nothing that was shown says more about them.
    """
    s.rng = seed
    unseen = np.empty(NUM_CARDS, np.int16)
    unseen_cards(s, seat, unseen)
    hidden = np.empty(NUM_CARDS, np.int16)
    left = 0
    for card in range(1, NUM_CARDS + 1):
        if unseen[card - 1] == 1:
            hidden[left] = card
            left += 1
    shuffle(s, hidden, left)
    for other in range(s.players):
        if other != seat:
            size = s.hand_size[other]
            s.hand_size[other] = 0
            for _ in range(size):
                left -= 1
                take_in_hand(s, other, hidden[left])
        for place in range(s.pile_size[other]):
            left -= 1
            s.pile[other, place] = hidden[left]
    s.deck[:left] = hidden[:left]
    for game in range(s.game_number, s.games):
        for card in range(NUM_CARDS):
            s.future_decks[game, card] = card + 1
        shuffle(s, s.future_decks[game], NUM_CARDS)
