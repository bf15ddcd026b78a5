"""The cards of Fire Bulls: what there is of them and what a Yen card costs (2 of the rules page).

A multiset of Qi cards is an array of counts by type or, packed, one int. A set of Yen cards or of
types of Qi cards may be an int too, bit by bit.
"""

from itertools import combinations_with_replacement

import numpy as np

from ..compiled import njit

# Qi cards
COLOURS = ("g", "y", "r", "b", "n")
NUM_COLOURS = len(COLOURS)
QI_NAMES = (*COLOURS, "*")
NUM_QI = len(QI_NAMES)
WARRIOR = NUM_COLOURS  # its type; types below are colours
QI_COPIES = np.array([10] * NUM_COLOURS + [4])
QI_CARDS = int(QI_COPIES.sum())

# Yen cards (2). A cost is the largest counts that the colours of a payment may have, sorted, or two
# such lists to choose from; a payment has as many cards as one list adds up to.
YEN_NAMES = (
    *(f"S{colour}" for colour in COLOURS),
    *(f"W{colour}" for colour in COLOURS),
    *("W0", "X", "B", "V", "G", "K"),
)
NUM_YEN = len(YEN_NAMES)
SINGLE, WU = 0, NUM_COLOURS  # the first coloured card of each kind
WHITE_WU, XI, BO, VICE, GENERAL, STOCKADE = range(2 * NUM_COLOURS, NUM_YEN)
YEN_COPIES = np.array([3] * NUM_COLOURS + [2] * NUM_COLOURS + [2, 9, 6, 3, 1, 8])
YEN_CARDS = int(YEN_COPIES.sum())
POINTS = np.array([1] * NUM_COLOURS + [2] * NUM_COLOURS + [2, 3, 6, 8, 12, 0])
COLOUR_OF = np.array([*range(NUM_COLOURS)] * 2 + [-1] * (NUM_YEN - 2 * NUM_COLOURS))  # -1: white
ALWAYS_BONUS = np.array([int(card == BO) for card in range(NUM_YEN)])
COSTS: tuple[tuple[tuple[int, ...], ...], ...] = (
    *(((1,),),) * NUM_COLOURS,
    *(((2,),),) * NUM_COLOURS,
    ((2,),),  # W0
    ((3,),),  # X
    ((1,) * NUM_COLOURS,),  # B
    ((5,), (3, 2)),  # V
    ((7,), (4, 3)),  # G
    ((1,),),  # K
)
COST = np.array([sum(lists[0]) for lists in COSTS])  # cards in a payment
MOST_PAID = int(COST.max())
# What decides a tie (R32): numbers of cards as digits, the highest printed points first.
PRINTED = sorted({int(points) for points in POINTS if points})
TIE_BASE = 64
SCORE_WEIGHT = TIE_BASE ** len(PRINTED)  # the score goes before them all
TIE_WEIGHT = np.array([TIE_BASE ** PRINTED.index(p) if p else 0 for p in POINTS.tolist()])

# A multiset of Qi cards in one int: FIELD bits a type, the highest of them, the guard, kept free.
FIELD = 5
FIELD_MASK = (1 << FIELD) - 1
GUARDS = sum(1 << (FIELD * kind + FIELD - 1) for kind in range(NUM_QI))


def is_payment(card: int, counts: list[int]) -> bool:
    """Tell whether Qi cards, given as counts by type, are a valid payment of a Yen card (2)."""
    colours = counts[:NUM_COLOURS]
    if sum(counts) != COST[card] or any(n > m for n, m in zip(counts, QI_COPIES, strict=True)):
        return False
    if COLOUR_OF[card] >= 0 and sum(colours) != colours[COLOUR_OF[card]]:
        return False
    most_first = sorted(colours, reverse=True)
    return any(
        all(n <= (most[i] if i < len(most) else 0) for i, n in enumerate(most_first))
        for most in COSTS[card]
    )


def _all_payments(card: int) -> list[int]:
    """Return every valid payment of a Yen card, packed, in the canonical order of its cards."""
    payments = []
    for kinds in combinations_with_replacement(range(NUM_QI), int(COST[card])):
        counts = [kinds.count(kind) for kind in range(NUM_QI)]
        if is_payment(card, counts):
            payments.append(sum(n << (FIELD * kind) for kind, n in enumerate(counts)))
    return payments


_PAYMENTS = [_all_payments(card) for card in range(NUM_YEN)]
PAYMENTS = np.array([payment for payments in _PAYMENTS for payment in payments])
FIRST_PAYMENT = np.array([sum(map(len, _PAYMENTS[:card])) for card in range(NUM_YEN + 1)])


def _of_two_colours(card: int) -> tuple[int, int]:
    """Return how many of one and of another colour pay for a Yen card."""
    first, second = COSTS[card][1]
    return first, second


# The same for a yes or no: cards of one colour, or of a first and a second one.
ONE = [lists[0][0] for lists in COSTS]
SINGLE_ONE, WU_ONE, STOCKADE_ONE = ONE[SINGLE], ONE[WU], ONE[STOCKADE]
XI_ONE, VICE_ONE, GENERAL_ONE = ONE[XI], ONE[VICE], ONE[GENERAL]
VICE_FIRST, VICE_SECOND = _of_two_colours(VICE)
GENERAL_FIRST, GENERAL_SECOND = _of_two_colours(GENERAL)


@njit
def size_of(counts: np.ndarray) -> int:
    """Return the number of Qi cards in a multiset."""
    total = 0
    for kind in range(NUM_QI):
        total += int(counts[kind])
    return total


@njit
def packed(counts: np.ndarray) -> int:
    """Return a multiset of Qi cards as one int."""
    cards = 0
    for kind in range(NUM_QI):
        cards |= int(counts[kind]) << (FIELD * kind)
    return cards


@njit
def affordable(hand: np.ndarray) -> int:
    """Return the Yen cards that a hand can pay for, bit by bit (2): what is lacking are Warriors.

    Any payment within the hand will do, and one that uses the most frequent colours lacks least.
    """
    warriors = int(hand[WARRIOR])
    most, second, colours, cards = 0, 0, 0, 0
    for colour in range(NUM_COLOURS):
        count = int(hand[colour])
        if count > 0:
            colours += 1
        if count > most:
            most, second = count, most
        elif count > second:
            second = count
        if count + warriors >= SINGLE_ONE:
            cards |= 1 << (SINGLE + colour)
            if count + warriors >= WU_ONE:
                cards |= 1 << (WU + colour)
    if most + warriors >= STOCKADE_ONE:
        cards |= 1 << STOCKADE
    if most + warriors >= WU_ONE:
        cards |= 1 << WHITE_WU
    if most + warriors >= XI_ONE:
        cards |= 1 << XI
    if colours + warriors >= NUM_COLOURS:
        cards |= 1 << BO
    lacking = max(VICE_FIRST - most, 0) + max(VICE_SECOND - second, 0)
    if lacking <= warriors or most + warriors >= VICE_ONE:
        cards |= 1 << VICE
    lacking = max(GENERAL_FIRST - most, 0) + max(GENERAL_SECOND - second, 0)
    if lacking <= warriors or most + warriors >= GENERAL_ONE:
        cards |= 1 << GENERAL
    return cards


@njit
def rest_of_payment(payment: int, paid: int, last: int, hand: int) -> int:
    """Return what is left to lay of a payment that starts with `paid`, if the hand has it, else 0.

    All packed; `last` is the type of the last card laid, 0 before the first one (6, `attack`).
    """
    rest = (payment | GUARDS) - paid
    if rest & GUARDS != GUARDS:  # a guard that was needed: more of a type than in the payment
        return 0
    rest ^= GUARDS
    if rest & ((1 << (FIELD * last)) - 1) != 0:  # a type that should have come before the last
        return 0
    return rest if ((hand | GUARDS) - rest) & GUARDS == GUARDS else 0


@njit
def lowest_type(cards: int) -> int:
    """Return the first type in a packed multiset, which is not empty."""
    kind = 0
    while cards & FIELD_MASK == 0:
        cards >>= FIELD
        kind += 1
    return kind


@njit
def next_types(hand: int, paid: int, last: int, card: int) -> int:
    """Return, bit by bit, the types of Qi cards that may be laid next for a Yen card (6)."""
    kinds = 0
    for index in range(FIRST_PAYMENT[card], FIRST_PAYMENT[card + 1]):
        rest = rest_of_payment(PAYMENTS[index], paid, last, hand)
        if rest != 0:
            kinds |= 1 << lowest_type(rest)
    return kinds
