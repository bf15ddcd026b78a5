"""What a seat of Fire Bulls may know: the observation (12) and sampling of what it cannot (11)."""

from math import comb

import numpy as np

from ..compiled import njit
from ..encoding import relative
from ..game import blocks
from ..rng import draw_below, shuffle
from .cards import (
    BO,
    GENERAL,
    NUM_COLOURS,
    NUM_QI,
    NUM_YEN,
    QI_CARDS,
    QI_COPIES,
    VICE,
    YEN_CARDS,
    YEN_COPIES,
    affordable,
    next_types,
    packed,
    size_of,
)
from .rules import (
    ATTACK,
    GENERAL_STATES,
    HAND_LIMIT,
    IDLE_ROUNDS,
    LAST_TIME,
    MAX_PLAYERS,
    MOST_BEATEN,
    NUM_DIRECTIONS,
    NUM_PILES,
    OVER,
    OVER_PHASE,
    PHASES,
    REACHES,
    ROW_LENGTH,
    ROWS,
    TURN,
    can_draw,
    last_paid,
    packed_paid,
    reach_limit,
    target_card,
)

# A product is several times faster than a quotient, and there are hundreds in an observation.
PER_QI, PER_YEN = 1 / QI_COPIES, 1 / YEN_COPIES
PER_HAND, PER_DECK, PER_TIME = 1 / (HAND_LIMIT + 1), 1 / QI_CARDS, 1 / LAST_TIME
PER_PILE, PER_POINT = 1 / (YEN_CARDS // NUM_PILES - ROW_LENGTH), 1 / 100
PER_BEATEN, PER_WARRIOR, PER_IDLE = 1 / MOST_BEATEN, 1 / 4, 1 / IDLE_ROUNDS
# Ways to choose k of n cards of one type.
WAYS = np.array([[comb(n, k) for k in range(HAND_LIMIT + 2)] for n in range(max(QI_COPIES) + 1)])

BLOCKS = blocks(
    ("players", 4, "one-hot: 2, 3, 4, 5 seats"),
    ("reach", len(REACHES), "one-hot: graded, strict, free"),
    ("phase", len(PHASES) - 1, "one-hot: turn, attack, reward, penalty, discard; zeros when over"),
    ("actor", MAX_PLAYERS, "one-hot, relative seat: acts now; zeros when over"),
    ("hand", NUM_QI, "own hand, by type"),
    ("hand_sizes", MAX_PLAYERS, "relative seats: cards in hand / 9"),
    ("known", MAX_PLAYERS * NUM_QI, "relative seats: what everybody knows of the hand, by type"),
    ("display", NUM_QI, "face-up Qi cards, by type"),
    ("discard", NUM_QI, "Qi discard pile, by type"),
    ("unseen", NUM_QI, "by type: what the current pile was formed from, less own draws"),
    ("pile", 2, "Qi pile / 54; how often it has run out / 3"),
    ("swaps", 1 + MAX_PLAYERS, "run of swap turns / (4 P); relative seats: latest turn a swap"),
    ("rows", ROWS * ROW_LENGTH * NUM_YEN, "rows 0 to 2, front to back: Yen card one-hot"),
    ("yen_piles", NUM_PILES, "length of each Yen pile / 15, at most 1"),
    ("yen_unseen", NUM_YEN, "Yen cards in the piles, by name, / copies"),
    ("general", len(GENERAL_STATES), "one-hot: hidden, aside, beaten"),
    ("bulls", MAX_PLAYERS * NUM_DIRECTIONS, "relative seats: direction one-hot, DL L M R DR"),
    ("colors", MAX_PLAYERS * NUM_COLOURS, "relative seats: own colour one-hot, g y r b n"),
    ("beaten", MAX_PLAYERS * NUM_YEN, "relative seats: beaten cards, by name, / copies"),
    ("scores", MAX_PLAYERS, "relative seats: score / 100, at most 1"),
    (
        "stolen",
        NUM_QI + MAX_PLAYERS,
        "one-hot of the card that the General's reward took from me; its thief, relative seat",
    ),
    ("attack_dir", NUM_DIRECTIONS + 1, "one-hot: DL, L, M, R, DR, general"),
    ("attack_nums", 3, "limit / 3; cards beaten / 3; Warriors to atone for / 4, at most 1"),
    ("attack_paid", NUM_QI, "Qi cards laid for the target, by type"),
    ("attack_target", NUM_YEN, "phase attack: one-hot of the target"),
    ("attack_beaten", NUM_YEN, "cards beaten in this attack, by name, / 3"),
    ("reward", 3, "one-hot: reward offered for B, V, G"),
    (
        "payable",
        NUM_DIRECTIONS + 1,
        "own hand can pay the whole first card of DL, L, M, R, DR, general",
    ),
    ("my_reach", NUM_DIRECTIONS, "own limit on DL, L, M, R, DR / 3"),
)
(
    PLAYERS_AT,
    REACH_AT,
    PHASE_AT,
    ACTOR_AT,
    HAND_AT,
    HAND_SIZES_AT,
    KNOWN_AT,
    DISPLAY_AT,
    DISCARD_AT,
    UNSEEN_AT,
    PILE_AT,
    SWAPS_AT,
    ROWS_AT,
    YEN_PILES_AT,
    YEN_UNSEEN_AT,
    GENERAL_AT,
    BULLS_AT,
    COLOURS_AT,
    BEATEN_AT,
    SCORES_AT,
    STOLEN_AT,
    ATTACK_DIR_AT,
    ATTACK_NUMS_AT,
    ATTACK_PAID_AT,
    ATTACK_TARGET_AT,
    ATTACK_BEATEN_AT,
    REWARD_AT,
    PAYABLE_AT,
    MY_REACH_AT,
) = (block.offset for block in BLOCKS)


@njit
def observe(s: np.record, seat: int, out: np.ndarray) -> None:
    """Write what `seat` may know into `out`, float32[457]: the blocks of section 12.

    `seat` must be below `s.players`; the public `State.observation` raises ValueError otherwise.
    """
    out[:] = 0
    out[PLAYERS_AT + s.players - 2] = 1
    out[REACH_AT + s.reach] = 1
    if s.phase != OVER_PHASE:
        out[PHASE_AT + s.phase] = 1
    if s.to_act != OVER:
        out[ACTOR_AT + relative(s, s.to_act, seat)] = 1
    observe_qi(s, seat, out)
    observe_seats(s, seat, out)
    observe_yen(s, seat, out)
    if s.attack_dir > 0:
        observe_attack(s, seat, out)


@njit
def observe_qi(s: np.record, seat: int, out: np.ndarray) -> None:
    """Write own hand, display, discard pile, and what is known of the Qi pile."""
    for kind in range(NUM_QI):
        share = PER_QI[kind]
        out[HAND_AT + kind] = int(s.hand[seat, kind]) * share
        out[DISPLAY_AT + kind] = int(s.display[kind]) * share
        out[DISCARD_AT + kind] = int(s.discard[kind]) * share
        out[UNSEEN_AT + kind] = (int(s.pool[kind]) - int(s.drawn[seat, kind])) * share
    out[PILE_AT] = int(s.qi_size) * PER_DECK
    out[PILE_AT + 1] = int(s.finished) * PER_TIME
    out[SWAPS_AT] = int(s.idle) * PER_IDLE / int(s.players)
    if s.thief > 0:
        if s.stolen[seat] > 0:
            out[STOLEN_AT + s.stolen[seat] - 1] = 1
        out[STOLEN_AT + NUM_QI + relative(s, s.thief - 1, seat)] = 1


@njit
def observe_seats(s: np.record, seat: int, out: np.ndarray) -> None:
    """Write the blocks with one value or row a seat."""
    for other in range(s.players):
        k = relative(s, other, seat)
        out[HAND_SIZES_AT + k] = size_of(s.hand[other]) * PER_HAND
        out[SWAPS_AT + 1 + k] = s.swapped[other]
        out[BULLS_AT + k * NUM_DIRECTIONS + s.bull[other]] = 1
        out[COLOURS_AT + k * NUM_COLOURS + s.colour[other]] = 1
        out[SCORES_AT + k] = min(int(s.score[other]) * PER_POINT, 1.0)
        at = KNOWN_AT + k * NUM_QI
        for kind in range(NUM_QI):
            out[at + kind] = int(s.known[other, kind]) * PER_QI[kind]
        at = BEATEN_AT + k * NUM_YEN
        for card in range(NUM_YEN):
            out[at + card] = int(s.beaten[other, card]) * PER_YEN[card]


@njit
def observe_yen(s: np.record, seat: int, out: np.ndarray) -> None:
    """Write rows, Yen piles, the General, and what the seat could attack from where."""
    for cell in range(ROWS * ROW_LENGTH):
        if s.cell[cell] > 0:
            out[ROWS_AT + cell * NUM_YEN + s.cell[cell] - 1] = 1
    for row in range(NUM_PILES):
        out[YEN_PILES_AT + row] = min(int(s.yen_size[row]) * PER_PILE, 1.0)
    for card in range(NUM_YEN):
        out[YEN_UNSEEN_AT + card] = int(s.yen_hidden[card]) * PER_YEN[card]
    out[GENERAL_AT + s.general] = 1
    cards = affordable(s.hand[seat])
    for direction in range(NUM_DIRECTIONS + 1):
        card = target_card(s, direction)
        if card > 0:
            out[PAYABLE_AT + direction] = cards >> (card - 1) & 1
    for direction in range(NUM_DIRECTIONS):
        out[MY_REACH_AT + direction] = reach_limit(s, seat, direction) * PER_BEATEN


@njit
def observe_attack(s: np.record, seat: int, out: np.ndarray) -> None:  # noqa: ARG001
    """Write the attack that is going on; it is public."""
    out[ATTACK_DIR_AT + s.attack_dir - 1] = 1
    out[ATTACK_NUMS_AT] = int(s.limit) * PER_BEATEN
    out[ATTACK_NUMS_AT + 1] = int(s.num_beaten) * PER_BEATEN
    out[ATTACK_NUMS_AT + 2] = min(int(s.warriors) * PER_WARRIOR, 1.0)
    for index in range(s.num_paid):
        out[ATTACK_PAID_AT + s.paid[index]] += 1
    for kind in range(NUM_QI):
        out[ATTACK_PAID_AT + kind] *= PER_QI[kind]
    if s.phase == ATTACK:
        out[ATTACK_TARGET_AT + target_card(s, s.attack_dir - 1) - 1] = 1
    for card in range(NUM_YEN):
        out[ATTACK_BEATEN_AT + card] = int(s.attack_beaten[card]) * PER_BEATEN
    if s.reward == BO + 1:
        out[REWARD_AT] = 1
    elif s.reward == VICE + 1:
        out[REWARD_AT + 1] = 1
    elif s.reward == GENERAL + 1:
        out[REWARD_AT + 2] = 1


@njit
def determinize(s: np.record, seat: int, seed: int) -> None:
    """Sample all that `seat` cannot know, consistently (11); the generator restarts from `seed`.

    Cards count one by one, also those of one type, and all ways to deal are equally likely. First
    the Qi pile, from the candidates for it: of each type as many cards as are both unseen (and not
    certain in a hand) and perhaps left of the pool. The other hands share the rest, beside what is
    known of them; the other seats' draws share what is then left of the pool; the Yen piles share
    the Yen cards that are not visible. A stolen card is any of the 54. While another seat attacks,
    its hand comes first, from the unseen cards, among the hands that can go on.
    """
    s.rng = seed
    deal_qi(s, seat)
    deal_yen(s)
    if s.thief > 0 and s.thief != seat + 1:
        for other in range(s.players):
            if other != seat and s.stolen[other] > 0:
                s.stolen[other] = any_qi(s) + 1


@njit
def deal_qi(s: np.record, seat: int) -> None:
    """Deal the Qi pile, the other hands and the other seats' draws anew."""
    unseen = np.empty(NUM_QI, np.int16)  # in the pile, or in other hands but not known to be there
    pool = np.empty(NUM_QI, np.int16)  # in the pile, or drawn from it by other seats
    both = np.empty(NUM_QI, np.int16)
    cards = np.empty(QI_CARDS, np.int16)
    for kind in range(NUM_QI):
        left = int(QI_COPIES[kind]) - int(s.display[kind]) - int(s.discard[kind])
        unseen[kind] = left - int(s.hand[seat, kind])
        for other in range(s.players):
            if other != seat:
                unseen[kind] -= s.known[other, kind]
        pool[kind] = s.pool[kind] - s.drawn[seat, kind]
    first = s.to_act if s.to_act != seat and must_pay(s) else -1
    if first >= 0:
        deal_paying_hand(s, first, unseen, pool)
    for kind in range(NUM_QI):
        both[kind] = min(unseen[kind], pool[kind])
    shuffled_qi(s, both, cards)
    for index in range(s.qi_size):
        kind = cards[index]
        s.qi_pile[index] = kind
        unseen[kind] -= 1
        pool[kind] -= 1
    shuffled_qi(s, unseen, cards)
    dealt = 0
    for other in range(s.players):
        if other not in (seat, first):
            size = size_of(s.hand[other]) - size_of(s.known[other])
            s.hand[other] = s.known[other]
            for index in range(dealt, dealt + size):
                s.hand[other, cards[index]] += 1
            dealt += size
    shuffled_qi(s, pool, cards)
    dealt = 0
    for other in range(s.players):
        if other != seat:
            size = size_of(s.drawn[other])
            s.drawn[other] = 0
            for index in range(dealt, dealt + size):
                s.drawn[other, cards[index]] += 1
            dealt += size


@njit
def must_pay(s: np.record) -> bool:
    """Tell whether the acting seat must be able to pay for a Yen card to have a legal action."""
    if s.phase == TURN:
        return size_of(s.display) == 0 and not can_draw(s)
    return s.phase == ATTACK


@njit
def can_go_on(s: np.record, hand: np.ndarray) -> bool:
    """Tell whether the acting seat, which must pay for a Yen card, could with this hand."""
    if s.phase == ATTACK:
        card = target_card(s, s.attack_dir - 1) - 1
        return next_types(packed(hand), packed_paid(s), last_paid(s), card) != 0
    cards = affordable(hand)
    found = False
    for direction in range(NUM_DIRECTIONS + 1):
        card = target_card(s, direction)
        found = found or (card > 0 and cards >> (card - 1) & 1 == 1)
    return found


@njit
def deal_paying_hand(s: np.record, actor: int, unseen: np.ndarray, pool: np.ndarray) -> None:
    """Deal the acting seat, from `unseen`, a hand that can go on and leaves a pile; take it out."""
    size = size_of(s.hand[actor]) - size_of(s.known[actor])
    dealt = np.zeros(NUM_QI, np.int16)
    total = count_paying_hands(s, actor, unseen, pool, size, dealt, -1)
    count_paying_hands(s, actor, unseen, pool, size, dealt, draw_below(s, total))
    for kind in range(NUM_QI):
        s.hand[actor, kind] = s.known[actor, kind] + dealt[kind]
        unseen[kind] -= dealt[kind]


@njit
def count_paying_hands(
    s: np.record,
    actor: int,
    unseen: np.ndarray,
    pool: np.ndarray,
    size: int,
    dealt: np.ndarray,
    wanted: int,
) -> int:
    """Count the ways to deal `size` unseen cards to a hand that can go on and leaves a pile.

    With `wanted` >= 0 the count stops behind that way, whose cards are then in `dealt`.
    """
    ways = 0
    hand = np.empty(NUM_QI, np.int16)
    dealt[:] = 0
    dealt[0] = size
    while True:
        here, room = 1, 0
        for kind in range(NUM_QI):
            here *= int(WAYS[unseen[kind], dealt[kind]])
            room += int(min(unseen[kind] - dealt[kind], pool[kind]))
            hand[kind] = s.known[actor, kind] + dealt[kind]
        if here > 0 and room >= s.qi_size and can_go_on(s, hand):
            ways += here
            if 0 <= wanted < ways:
                return ways
        if dealt[NUM_QI - 1] == size:
            return ways
        first = 0  # on to the next multiset of this size
        while dealt[first] == 0:
            first += 1
        moved = dealt[first]
        dealt[first] = 0
        dealt[0] = moved - 1
        dealt[first + 1] += 1


@njit
def shuffled_qi(s: np.record, counts: np.ndarray, cards: np.ndarray) -> None:
    """Write a multiset of Qi cards into `cards`, int16[54], in random order."""
    size = 0
    for kind in range(NUM_QI):
        for _ in range(counts[kind]):
            cards[size] = kind
            size += 1
    shuffle(s, cards, size)


@njit
def deal_yen(s: np.record) -> None:
    """Deal the three Yen piles anew."""
    cards = np.empty(YEN_CARDS, np.int16)
    left = 0
    for card in range(NUM_YEN):
        for _ in range(s.yen_hidden[card]):
            cards[left] = card
            left += 1
    shuffle(s, cards, left)
    for row in range(NUM_PILES):
        for index in range(s.yen_size[row]):
            left -= 1
            s.yen_pile[row, index] = cards[left]


@njit
def any_qi(s: np.record) -> int:
    """Draw the type of one of the 54 Qi cards."""
    left = draw_below(s, QI_CARDS)
    kind = 0
    while left >= QI_COPIES[kind]:
        left -= int(QI_COPIES[kind])
        kind += 1
    return kind
