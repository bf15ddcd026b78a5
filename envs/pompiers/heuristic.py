"""The scripted player of Pompiers! (section 14 of docs/rules/pompiers.md), from its view alone."""

import numpy as np

from ..compiled import njit
from .encoding import hand_size, run_now, unseen_cards
from .missions import (
    COLOUR_OF_TILE,
    EXACTLY,
    MISSION_1_6,
    MISSION_2_7,
    MISSION_3_8,
    MISSION_4_9,
    MISSION_5_10,
    MOST,
    NUM_TAKEN,
    NUM_TRICKS,
    TILE_POINTS,
    TRICK,
    TRICKS_BELOW,
    WITHOUT,
    trick_wanted,
)
from .rules import (
    CHIP_POINTS,
    NO_CARD,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_RANKS,
    PLACE,
    PLACE_AT,
    PLAY_AT,
    REVEAL_AT,
    TRUMP,
    beats,
    colour_of,
    playable,
    top_rank,
)

NO_TRUMP = -1
WEAK_TO_PLACE = 2.0  # below this strength the seat hopes for no trick
USUAL_WORTH, USUAL_THRIFT = 0.4, 1.0  # of a trick, of keeping strong cards
TRUMP_BONUS, KEEP = 0.7, 0.8  # how dear a trump is, and a card
FOLLOW, RUFF, CERTAIN = 0.78, 0.10, 0.97  # chances that a seat to come beats a card
WORST = -1e9
SAME = 1e-9  # sums that differ by less are equal: they only differ in how they were rounded


@njit
def heuristic(s: np.record) -> int:
    """Return the scripted player's action id for the acting seat, which leaves `s` as it was."""
    if s.phase == PLACE:
        return PLACE_AT + choose_place(s)
    if s.phase == TRUMP:
        return REVEAL_AT + choose_trump(s)
    return PLAY_AT + choose_play(s)


@njit
def share(s: np.record, card: int) -> float:
    """Return the rank of a card as a share of the top rank."""
    return (card % NUM_RANKS + 1) / top_rank(int(s.players))


@njit
def strength(s: np.record, hand: int, trump: int) -> float:
    """Return the strength of a hand; `trump` is the trump colour or NO_TRUMP."""
    total = 0.0
    for card in range(NUM_CARDS):
        if (hand >> card) & 1:
            if colour_of(card) == trump:
                total += 0.25 + 0.6 * share(s, card)
            else:
                total += max(0.0, 1.6 * (share(s, card) - 0.55))
    return total


@njit
def weight(s: np.record, colour: int) -> float:
    """Return the weight of a colour in the hand of the acting seat."""
    total = 0.0
    for card in range(colour * NUM_RANKS, (colour + 1) * NUM_RANKS):
        if (s.hand[s.to_act] >> card) & 1:
            total += 0.5 + share(s, card)
    return total


@njit
def unachieved(s: np.record, mission: int) -> bool:
    """Tell whether the acting seat still lacks this chip."""
    return not (s.chips[s.to_act] >> mission) & 1


@njit
def choose_place(s: np.record) -> int:
    """Return the highest card for a seat that wants no trick, else the lowest of its colour."""
    hand = s.hand[s.to_act]
    if unachieved(s, MISSION_2_7) and strength(s, hand, NO_TRUMP) < WEAK_TO_PLACE - SAME:
        highest = NO_CARD
        for card in range(NUM_CARDS):
            higher = highest == NO_CARD or card % NUM_RANKS >= highest % NUM_RANKS
            if higher and (hand >> card) & 1:
                highest = card
        return highest
    heaviest, most = 0, -1.0
    for colour in range(NUM_COLOURS):
        value = weight(s, colour)
        if value > most + SAME:
            heaviest, most = colour, value
    card = heaviest * NUM_RANKS
    while not (hand >> card) & 1:
        card += 1
    return card


@njit
def choose_trump(s: np.record) -> int:
    """Return the drawn card of the heaviest colour, of several the lowest rank."""
    best, most = NO_CARD, -1.0
    for card in range(NUM_CARDS):
        if (s.drawn >> card) & 1:
            value = weight(s, colour_of(card))
            lower = best == NO_CARD or card % NUM_RANKS < best % NUM_RANKS
            if value > most + SAME or (value > most - SAME and lower):
                best, most = card, value
    return best


@njit
def choose_play(s: np.record) -> int:
    """Return the legal card that gains most: what the trick is worth against keeping the card."""
    seat = s.to_act
    trump = colour_of(s.trump_card)
    worth, thrift = trick_worth(s, trump)
    unseen = unseen_cards(s, seat)
    num_unseen = 0
    for card in range(NUM_CARDS):
        num_unseen += (unseen >> card) & 1
    cards = playable(s, seat)
    best, best_value = NO_CARD, WORST
    for card in range(NUM_CARDS):
        if (cards >> card) & 1:
            price = share(s, card)
            if colour_of(card) == trump:
                price += TRUMP_BONUS
            value = worth * chance(s, card, unseen, num_unseen) - KEEP * thrift * price
            if value > best_value + SAME:
                best, best_value = card, value
    return best


@njit
def chance(s: np.record, card: int, unseen: int, num_unseen: int) -> float:
    """Return the chance that `card` wins the trick, each seat to come beating it independently."""
    if s.in_trick > 0 and not beats(card, s.best_card, s.trump_card):
        return 0.0
    colour = colour_of(card)
    higher = 0
    for other in range(card + 1, (colour + 1) * NUM_RANKS):
        higher += int((unseen >> other) & 1)
    beaten = min(1.0, FOLLOW * higher * int(hand_size(s, s.to_act)) / int(num_unseen))
    if colour != colour_of(s.trump_card):
        beaten += RUFF * (1 - beaten)
    beaten = min(beaten, CERTAIN)
    product = 1.0
    for _ in range(s.players - s.in_trick - 1):
        product *= 1 - beaten
    return product


@njit
def trick_worth(s: np.record, trump: int) -> tuple[float, float]:
    """Return what the current trick is worth, and how dear strong cards are (below 0: unwanted)."""
    seat = s.to_act
    rooms = int(s.rooms[seat])
    number = s.num_tricks + 1
    worth, thrift = USUAL_WORTH, USUAL_THRIFT
    for index in range(s.num_emergency):
        tile = s.emergency[index]
        more, dearer = tile_worth(s, tile, float(TILE_POINTS[tile]))
        worth += more
        thrift += dearer
    if unachieved(s, MISSION_3_8):
        more, dearer = tile_worth(s, s.slot_tile, float(CHIP_POINTS))
        worth += more
        thrift += dearer
    if number == NUM_TRICKS and unachieved(s, MISSION_1_6):
        worth += 5
    if unachieved(s, MISSION_4_9):
        if number > TRICKS_BELOW:
            worth += 2 * ((rooms >> (number - TRICKS_BELOW - 1)) & 1)
        else:
            worth += 0.4
    if unachieved(s, MISSION_5_10):
        if number > 1 and s.winners[number - 2] == seat:
            worth += 0.8 + 0.7 * run_now(s)
        else:
            worth += 0.3
    if rooms == 0 and unachieved(s, MISSION_2_7):
        weak = 0.17 * hand_size(s, seat) + 0.25
        if strength(s, s.hand[seat], trump) < weak - SAME:
            worth -= 6
            thrift = -1.0
    return worth, thrift


@njit
def tile_worth(s: np.record, tile: int, points: float) -> tuple[float, float]:
    """Return what an open tile adds to the worth of the trick and to that of strong cards."""
    seat = s.to_act
    if tile < TRICK:
        wanted, taken = tile - EXACTLY + 1, NUM_TAKEN[s.rooms[seat]]
        if taken == wanted:
            return -0.6 * points, -points / 6
        return (0.5 * points if taken < wanted else 0.0), 0.0
    if tile < MOST:
        is_this = trick_wanted(tile, s.round_number) == s.num_tricks + 1
        return (points if is_this else 0.0), 0.0
    colour = COLOUR_OF_TILE[tile]
    on_table = 0
    for turn in range(s.in_trick):
        on_table += 1 if colour_of(s.cards[s.num_tricks, turn]) == colour else 0
    if tile < WITHOUT:
        return 0.12 * points * on_table, 0.0
    if s.collected[seat, colour] > 0:
        return 0.0, 0.0
    return (-0.45 * points if on_table > 0 else 0.1 * points), 0.0
