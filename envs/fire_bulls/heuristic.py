"""The scripted player of Fire Bulls (14 of docs/rules/fire_bulls.md), from its view alone."""

import numpy as np

from ..compiled import njit
from .cards import (
    BO,
    COST,
    FIELD,
    FIELD_MASK,
    FIRST_PAYMENT,
    GENERAL,
    NUM_QI,
    NUM_YEN,
    PAYMENTS,
    POINTS,
    STOCKADE,
    VICE,
    WARRIOR,
    lowest_type,
    packed,
    rest_of_payment,
    size_of,
)
from .rules import (
    ACTION_NAMES,
    ASIDE,
    AT_GENERAL,
    ATTACK,
    ATTACK_AT,
    DISCARD_AT,
    DRAW_LEFT,
    DRAW_STAY,
    HAND_LIMIT,
    LINES,
    MOST_BEATEN,
    NUM_DIRECTIONS,
    PENALTY,
    PLAY_AT,
    REMOVE_AT,
    REWARD,
    REWARD_YES,
    ROW_LENGTH,
    ROWS,
    STOP,
    TURN,
    bonus,
    is_earlier,
    last_paid,
    legal,
    packed_paid,
    reach_limit,
    target_card,
)

STOCKADE_VALUE = 0.25
WARRIOR_PRICE, CARD_PRICE, PER_EQUAL_CARD = 3.0, 1.0, 0.05  # in the choice of a payment
WARRIOR_LOSS, REWARD_WORTH, THREE_WORTH = 1.0, 1.0, 2.0  # in the worth of an attack
WORTH_IT, WORTH_IT_FULL, NEARLY_FULL = 3.0, 1.0, HAND_LIMIT - 1  # least worth of an attack
WORTH_TAKING = 0.5  # least gain of potential by a face-up card
WARRIOR_POTENTIAL, WARRIOR_LACK = 0.6, 0.2
PLACE_WEIGHTS = np.array([1.0, 0.7, 0.4])  # front, middle, back
STOP_BELOW = 2.0  # a card worth less is not paid with a Warrior that costs an earlier one
WORST = -1e9


@njit
def heuristic(s: np.record) -> int:
    """Return the scripted player's action id for the acting seat, which leaves `s` as it was."""
    if s.phase == TURN:
        return choose_turn(s)
    if s.phase == ATTACK:
        return choose_card(s)
    if s.phase == REWARD:
        return REWARD_YES
    if s.phase == PENALTY:
        return choose_loss(s)
    return choose_discard(s)


@njit
def value(s: np.record, seat: int, card: int) -> float:
    """Return what a Yen card is worth to a seat."""
    worth = float(POINTS[card] + bonus(s, seat, card))
    return worth + STOCKADE_VALUE if card == STOCKADE else worth


@njit
def cheapest(hand: np.ndarray, paid: int, last: int, card: int) -> int:
    """Return what to lay for a Yen card after `paid`, packed; 0 if the hand cannot pay.

    Of several equally cheap payments the first in canonical order.
    """
    best, best_price = 0, -WORST
    cards = packed(hand)
    for index in range(FIRST_PAYMENT[card], FIRST_PAYMENT[card + 1]):
        rest = rest_of_payment(PAYMENTS[index], paid, last, cards)
        if rest == 0:
            continue
        price = 0.0
        for kind in range(NUM_QI):
            count = rest >> (FIELD * kind) & FIELD_MASK
            if kind == WARRIOR:
                price += count * WARRIOR_PRICE
            else:
                price += count * (CARD_PRICE + PER_EQUAL_CARD * int(hand[kind]))
        if price < best_price:
            best, best_price = rest, price
    return best


@njit
def warriors_in(cards: int) -> int:
    """Return the number of Warriors in a packed multiset."""
    return cards >> (FIELD * WARRIOR) & FIELD_MASK


@njit
def attack_worth(s: np.record, direction: int) -> float:
    """Return the worth of the best part of an attack, each card paid as cheaply as possible."""
    seat = s.to_act
    hand = s.hand[seat].copy()
    worth, best = 0.0, WORST
    limit = reach_limit(s, seat, direction)
    count = 0
    for place in range(ROW_LENGTH):
        if direction == AT_GENERAL:
            card = target_card(s, AT_GENERAL) - 1 if place == 0 else -1
        else:
            card = int(s.cell[LINES[direction, place]]) - 1
        if card < 0:
            continue
        payment = cheapest(hand, 0, 0, card) if count < limit else 0
        if payment == 0:
            break
        for kind in range(NUM_QI):
            hand[kind] -= payment >> (FIELD * kind) & FIELD_MASK
        count += 1
        worth += value(s, seat, card) - WARRIOR_LOSS * warriors_in(payment)
        if card in (BO, VICE, GENERAL):
            worth += REWARD_WORTH
        if count == MOST_BEATEN:
            worth += THREE_WORTH
        best = max(best, worth)
    return best


@njit
def missing(hand: np.ndarray, card: int) -> float:
    """Return how many cards a hand lacks at least for a Yen card, with a price on Warriors."""
    least = -WORST
    for index in range(FIRST_PAYMENT[card], FIRST_PAYMENT[card + 1]):
        payment = PAYMENTS[index]
        lack = WARRIOR_LACK * warriors_in(payment)
        for kind in range(NUM_QI):
            lack += max((payment >> (FIELD * kind) & FIELD_MASK) - int(hand[kind]), 0)
        least = min(least, lack)
    return least


@njit
def potential(s: np.record, hand: np.ndarray) -> float:
    """Return what a hand of the acting seat promises against the cards in sight."""
    weights = np.zeros(NUM_YEN)
    for row in range(ROWS):
        for place in range(ROW_LENGTH):
            card = int(s.cell[row * ROW_LENGTH + place]) - 1
            if card >= 0:
                weights[card] += PLACE_WEIGHTS[place]
    if s.general == ASIDE:
        weights[GENERAL] = 1.0
    total = WARRIOR_POTENTIAL * int(hand[WARRIOR])
    for card in range(NUM_YEN):
        if weights[card] > 0:
            near = max(1 - missing(hand, card) / int(COST[card]), 0.0)
            total += weights[card] * value(s, s.to_act, card) * near * near
    return total


@njit
def choose_turn(s: np.record) -> int:
    """Attack if it is worth it, else take a useful card, else draw, else take anything."""
    mask = np.empty(len(ACTION_NAMES), np.int8)
    legal(s, mask)
    seat = s.to_act
    size = size_of(s.hand[seat])
    attack, best = -1, WORST
    for direction in range(NUM_DIRECTIONS + 1):
        if mask[ATTACK_AT + direction] == 1:
            worth = attack_worth(s, direction)
            if worth > best:
                attack, best = ATTACK_AT + direction, worth
    if attack >= 0 and best >= (WORTH_IT_FULL if size >= NEARLY_FULL else WORTH_IT):
        return attack
    if size < HAND_LIMIT:
        hand = s.hand[seat].copy()
        bar = potential(s, hand) + WORTH_TAKING
        take = -1
        for kind in range(NUM_QI):
            if mask[kind] == 1:
                hand[kind] += 1
                promise = potential(s, hand)
                hand[kind] -= 1
                if promise > bar:
                    take, bar = kind, promise
        if take >= 0:
            return take
    if mask[DRAW_STAY] == 1:
        return choose_draw(s, mask)
    for kind in range(NUM_QI):
        if mask[kind] == 1:
            return kind
    return attack


@njit
def choose_draw(s: np.record, mask: np.ndarray) -> int:
    """Draw and move the bull to where the cards are cheapest; stay if that is as good."""
    best, best_ease = DRAW_STAY, cheapness(s, s.bull[s.to_act])
    for action in range(DRAW_LEFT, DRAW_LEFT + 2):
        if mask[action] == 1:
            by = -1 if action == DRAW_LEFT else 1
            ease = cheapness(s, s.bull[s.to_act] + by)
            if ease > best_ease:
                best, best_ease = action, ease
    return best


@njit
def cheapness(s: np.record, direction: int) -> int:
    """Return how cheap the cards of a line are, together."""
    total = 0
    for place in range(ROW_LENGTH):
        card = int(s.cell[LINES[direction, place]]) - 1
        if card >= 0:
            total += 3 - int(COST[card])
    return total


@njit
def choose_card(s: np.record) -> int:
    """Lay the next card of the cheapest payment, or stop rather than lose an earlier card."""
    seat = s.to_act
    card = target_card(s, s.attack_dir - 1) - 1
    payment = cheapest(s.hand[seat], packed_paid(s), last_paid(s), card)
    if s.num_paid == 0 and s.num_beaten > 0 and warriors_in(payment) > 0:
        earlier = 0
        for name in range(NUM_YEN):
            earlier += int(s.beaten[seat, name]) - int(s.attack_beaten[name])
        if value(s, seat, card) < STOP_BELOW and earlier > s.warriors:
            return STOP
    return PLAY_AT + lowest_type(payment)


@njit
def choose_loss(s: np.record) -> int:
    """Give up the least valuable card beaten in an earlier turn."""
    best, least = -1, -WORST
    for card in range(NUM_YEN):
        if is_earlier(s, card):
            worth = value(s, s.to_act, card)
            if worth < least:
                best, least = REMOVE_AT + card, worth
    return best


@njit
def choose_discard(s: np.record) -> int:
    """Put back the card whose loss leaves the hand that promises most."""
    hand = s.hand[s.to_act].copy()
    best, most = -1, WORST
    for kind in range(NUM_QI):
        if hand[kind] > 0:
            hand[kind] -= 1
            promise = potential(s, hand)
            hand[kind] += 1
            if promise > most:
                best, most = DISCARD_AT + kind, promise
    return best
