"""The scripted player of Pumafiosi (section 14 of docs/rules/pumafiosi.md), from its view alone."""

import numpy as np

from ..compiled import njit
from .encoding import stronger_on_table, unseen_cards
from .rules import (
    CARD,
    CASUALTY,
    CO_OWNER,
    GIVE_RING,
    ITEM,
    KEEP_RING,
    MACHINE_GUN,
    MAX_PLAYERS,
    NO_ITEM,
    NOBODY,
    NOTEBOOK,
    NUM_CARDS,
    NUM_ROUNDS,
    NUM_STEPS,
    OWNER,
    PLACE,
    PLACE_AT,
    PLAY,
    PLAY_WITH_GUN,
    STEP_VALUES,
    TONY,
    UNREPRESENTED,
    VEST,
    enter_hierarchy,
    find_step,
    hierarchy_entry,
    may_lie_at,
    strength,
)

DROPS_PER_HIGHER_CARD = 0.45  # expected drops a round, times the share of higher unseen cards
GUN_PRICE, VEST_PRICE, NOTEBOOK_PRICE, RING_PRICE = 2.0, 1.5, 4.0, 1.5  # free late in the match
KEEP = 0.5  # weight of what a good card may still win later
LATE = 2  # rounds left in the last game from which items are free
WORST = -1e9


@njit
def heuristic(s: np.record) -> int:
    """Return the scripted player's action id for the acting seat, which leaves `s` as it was."""
    above = np.empty(NUM_CARDS + 1)
    shares_above(s, s.to_act, above)
    if s.phase == PLAY:
        return choose_play(s, above)
    if s.phase == PLACE:
        action, _ = choose_place(s, s.table[s.to_act], True, above)
        return action
    step_index = find_step(s, s.ring_target)
    worth = expected_value(s, s.ring_target, step_index, NO_ITEM, above)
    return GIVE_RING if worth > price(s, RING_PRICE) else KEEP_RING


@njit
def shares_above(s: np.record, seat: int, above: np.ndarray) -> None:
    """Fill `above`, float64[56]: the share of the cards unseen by `seat` that are higher than i."""
    unseen = np.empty(NUM_CARDS, np.int16)
    count = max(unseen_cards(s, seat, unseen), 1)
    higher = 0
    above[NUM_CARDS] = 0.0
    for card in range(NUM_CARDS - 1, -1, -1):
        higher += unseen[card]
        above[card] = higher / count


@njit
def price(s: np.record, usual: float) -> float:
    """Return what an item must be worth to be used: nothing late in the match."""
    late = s.game_number == s.games and NUM_ROUNDS - s.round_number <= LATE
    return 0.0 if late else usual


@njit
def expected_value(s: np.record, card: int, step_index: int, item: int, above: np.ndarray) -> float:
    """Return the points that `card` with `item` on that step is expected to bring until the end."""
    drops = min(
        DROPS_PER_HIGHER_CARD * (NUM_ROUNDS - s.round_number) * above[card],
        float(CASUALTY - step_index),
    )
    whole = int(drops)
    value = float(STEP_VALUES[step_index + whole])
    if step_index + whole < CASUALTY:
        value += (drops - whole) * (STEP_VALUES[step_index + whole + 1] - value)
    if item != VEST:
        value -= drops
    return 2 * value if item == NOTEBOOK else value


@njit
def position_value(s: np.record, seat: int, above: np.ndarray) -> float:
    """Return how far `seat` is expected to end above the mean of its opponents."""
    expected = np.zeros(MAX_PLAYERS)
    shown = np.zeros(MAX_PLAYERS, np.int64)
    for index in range(CASUALTY + s.num_casualty):
        entry = hierarchy_entry(s, index)
        if entry[CARD] == 0:
            continue
        value = expected_value(s, entry[CARD], min(index, CASUALTY), entry[ITEM], above)
        if entry[OWNER] != TONY:
            expected[entry[OWNER] - 1] += value
            shown[entry[OWNER] - 1] = 1
        if entry[CO_OWNER] != NOBODY:
            expected[entry[CO_OWNER] - 1] += value
            shown[entry[CO_OWNER] - 1] = 1
    absent = UNREPRESENTED * (1 - 1 / max(3, s.players)) ** (NUM_ROUNDS - s.round_number)
    mine, others = 0.0, 0.0
    for other in range(s.players):
        value = s.wealth[other] - s.penalty[other] + expected[other]
        if shown[other] == 0:
            value -= absent
        if other == seat:
            mine = value
        else:
            others += value
    return mine - others / (s.players - 1)


@njit
def choose_place(s: np.record, card: int, items: bool, above: np.ndarray) -> tuple[int, float]:
    """Return the acting seat's best placement of `card` (with its items if `items`) and its value.

    Every legal step is tried on `s` itself, which is put back afterwards.
    """
    seat = s.to_act
    column, penalty, num_casualty = s.column.copy(), s.penalty.copy(), s.num_casualty
    best, best_value = -1, WORST
    for item in (NO_ITEM, VEST, NOTEBOOK):
        if item != NO_ITEM and not (items and s.unused[seat, item] == 1):
            continue
        cost = 0.0
        if item == VEST:
            cost = price(s, VEST_PRICE)
        elif item == NOTEBOOK:
            cost = price(s, NOTEBOOK_PRICE)
        for step_index in range(NUM_STEPS):
            if not may_lie_at(s, card, step_index):
                continue
            enter_hierarchy(s, step_index, card, seat + 1, item)
            value = position_value(s, seat, above) - cost
            if value > best_value:
                best, best_value = PLACE_AT + item * NUM_STEPS + step_index, value
            s.column[:] = column
            s.penalty[:] = penalty
            if s.num_casualty > num_casualty:
                s.casualty[num_casualty] = 0
                s.num_casualty = num_casualty
    return best, best_value


@njit
def choose_play(s: np.record, above: np.ndarray) -> int:
    """Return the play with the best chance to be second times what the placement would gain."""
    seat = s.to_act
    to_follow = 0  # seats still to play after this one
    while (seat + 1 + to_follow) % s.players != s.start_seat:
        to_follow += 1
    now = position_value(s, seat, above)
    rounds_left = NUM_ROUNDS - s.round_number
    best, best_value = -1, WORST
    for gun in range(1 + s.unused[seat, MACHINE_GUN]):
        cost = price(s, GUN_PRICE) if gun == 1 else 0.0
        for place in range(s.hand_size[seat]):
            card = s.hand[seat, place]
            _, placed = choose_place(s, card, False, above)
            gain = placed - now
            # The first whole number that beats the card: 10.5 above with a machine gun
            beaten_by = float(above[min(card + 10 * gun, NUM_CARDS)])
            stronger = stronger_on_table(s, strength(card, gun))
            value = second_chance(stronger, to_follow, beaten_by) * gain - cost
            if rounds_left > 0:
                later = second_chance(0, max(3, s.players) - 1, float(above[card]))
                value -= KEEP * max(0.0, gain) * later
            if value > best_value:
                best, best_value = PLAY_WITH_GUN * gun + card - 1, value
    return best


@njit
def second_chance(stronger: int, to_follow: int, beaten_by: float) -> float:
    """Return the chance to end second, if each seat to follow beats the card independently."""
    if stronger == 1:
        return (1 - beaten_by) ** to_follow
    if stronger == 0 and to_follow > 0:
        return to_follow * beaten_by * (1 - beaten_by) ** (to_follow - 1)
    return 0.0
