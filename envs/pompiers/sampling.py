"""Sampling what a seat of Pompiers! cannot know (11 of docs/rules/pompiers.md)."""

from math import comb

import numpy as np

from ..compiled import njit
from ..rng import draw_below, shuffle
from .encoding import hand_size, unseen_cards
from .rules import (
    HAND_SIZE,
    MAX_DRAWN,
    MAX_PLAYERS,
    NO_CARD,
    NUM_CARDS,
    NUM_COLOURS,
    PLACE,
    TRUMP,
    colour_of,
)

# Steps of a random number between 0 and 1, tries before all ways are counted, and
# the number of ways to choose so many of so many cards
CHANCES, MAX_TRIES = 1 << 31, 100
ALL_COLOURS = (1 << NUM_COLOURS) - 1
CHOOSE = np.array(
    [[comb(cards, size) for size in range(HAND_SIZE + 2)] for cards in range(NUM_CARDS + 1)],
    np.float64,
)


@njit
def determinize(s: np.record, seat: int, seed: int) -> None:
    """Deal anew, uniformly, all that `seat` cannot know (11); the generator restarts from `seed`.

    Hidden are the other hands, pile, aside, what the others placed or drew, and the order of the
    mission pile. No hand gets a colour that its seat did not follow this round; apart from that
    every deal of the unseen cards is equally likely.
    """
    s.rng = seed
    tiles = 0
    for index in range(s.num_mission_pile):
        tiles |= 1 << int(s.mission_pile[index])
    shuffle(s, s.mission_pile, list_bits(tiles, s.mission_pile))
    hidden = np.empty(NUM_CARDS, np.int16)
    left = list_bits(unseen_cards(s, seat), hidden)
    left = deal_hands(s, seat, hidden, left)
    tail = np.empty(MAX_DRAWN, np.int16)  # the cards at the end of the pile that `seat` has drawn
    num_tail = 0
    if s.chooser == seat and s.phase != PLACE:
        trump = 0 if s.trump_card == NO_CARD else 1 << int(s.trump_card)
        num_tail = list_bits(s.drawn & ~trump, tail)
        shuffle(s, tail, num_tail)
    if s.eleven_cards == 0:
        for index in range(s.pile_size - num_tail):
            left -= 1
            s.pile[index] = hidden[left]
    elif s.phase == PLACE:
        left = place_in_turn(s, seat, hidden, left)
    else:
        left = place_all(s, seat, hidden, left, s.drawn if num_tail > 0 else 0)
    for index in range(num_tail):
        s.pile[s.pile_size - num_tail + index] = tail[index]
    if s.drawn != 0 and s.chooser != seat:
        s.drawn = 0 if s.phase == TRUMP else 1 << int(s.trump_card)
        for index in range(s.pile_size - MAX_DRAWN + (s.phase != TRUMP), s.pile_size):
            s.drawn |= 1 << int(s.pile[index])
    if s.eleven_cards == 1:
        s.aside[:left] = hidden[:left]


@njit
def list_bits(things: int, out: np.ndarray) -> int:
    """List a set of cards or tiles in `out`, ascending; return how many there are."""
    count = 0
    for thing in range(NUM_CARDS):
        if (things >> thing) & 1:
            out[count] = thing
            count += 1
    return count


@njit
def deal_hands(s: np.record, seat: int, hidden: np.ndarray, left: int) -> int:
    """Deal new hands to the other seats from the first `left` of `hidden`; return what is left.

    The cards that are left are in random order. Seats that did not follow a colour draw first.
    """
    order = np.empty(MAX_PLAYERS, np.int64)
    most = np.empty(MAX_PLAYERS, np.int64)
    limited = limited_seats(s, seat, hidden, left, order, most)
    if limited > 0:
        left = deal_limited(s, hidden, left, order, most, limited)
    shuffle(s, hidden, left)
    for other in range(s.players):
        if other != seat and s.void[other] == 0:
            hand = 0
            for _ in range(hand_size(s, other)):
                left -= 1
                hand |= 1 << int(hidden[left])
            s.hand[other] = hand
    return left


@njit
def deal_limited(
    s: np.record,
    hidden: np.ndarray,
    left: int,
    order: np.ndarray,
    most: np.ndarray,
    limited: int,
) -> int:
    """Deal to the seats in `order` what they may hold; return what is left.

    Trying is quick unless many seats compete for the same cards; then all ways are counted.
    """
    for _ in range(MAX_TRIES):
        remaining = try_deal(s, hidden, left, order, most, limited)
        if remaining >= 0:
            return remaining
    return deal_by_colour(s, hidden, left, order, limited)


@njit
def try_deal(
    s: np.record,
    hidden: np.ndarray,
    left: int,
    order: np.ndarray,
    most: np.ndarray,
    limited: int,
) -> int:
    """Let the seats in `order` draw from what they may hold; return what is left, or -1.

    Some deals come about in this way more easily than others: the try is kept with a chance that
    makes up for it.
    """
    chance = 1.0
    for index in range(limited):
        other = order[index]
        size = hand_size(s, other)
        allowed = gather_allowed(s.void[other], hidden, left)
        if allowed < size:
            return -1
        for turn in range(size):
            chance *= (allowed - turn) / (most[index] - turn)
        s.hand[other] = draw_cards(s, hidden, left, allowed, size)
        left -= size
    return left if draw_below(s, CHANCES) < chance * CHANCES else -1


@njit
def draw_cards(s: np.record, cards: np.ndarray, count: int, among: int, size: int) -> int:
    """Draw `size` of the last `among` of the first `count` cards, as bits; they go to the end."""
    drawn = 0
    for _ in range(size):
        place = count - 1 - draw_below(s, among)
        card = cards[place]
        count -= 1
        among -= 1
        cards[place], cards[count] = cards[count], card
        drawn |= 1 << int(card)
    return drawn


@njit
def deal_by_colour(
    s: np.record, hidden: np.ndarray, left: int, order: np.ndarray, limited: int
) -> int:
    """Deal as `deal_limited`: seat by seat and colour by colour a number drawn by its ways."""
    number = count_colours(hidden, left)
    for index in range(limited):
        other = order[index]
        need = hand_size(s, other)
        hand = 0
        for colour in range(NUM_COLOURS):
            total, chosen = 0.0, 0
            for size in range(min(need, number[colour]) + 1):
                if size > 0 and (s.void[other] >> colour) & 1:
                    break
                ways = CHOOSE[number[colour], size]
                number[colour] -= size
                ways *= count_deals(s, order, limited, index, colour + 1, need - size, number)
                number[colour] += size
                total += ways
                if draw_below(s, CHANCES) * total < ways * CHANCES:
                    chosen = size
            gather_allowed(ALL_COLOURS - (1 << colour), hidden, left)
            hand |= draw_cards(s, hidden, left, number[colour], chosen)
            number[colour] -= chosen
            left -= chosen
            need -= chosen
        s.hand[other] = hand
    return left


@njit
def count_deals(
    s: np.record,
    order: np.ndarray,
    limited: int,
    index: int,
    first: int,
    need: int,
    number: np.ndarray,
) -> float:
    """Count the ways to deal to the seats in `order` from `index` on.

    That seat still draws `need` cards, of the colours from `first` on; `number` are the cards left
    by colour. Goes through all numbers of cards that a seat may draw of a colour, depth first and
    without recursion: compiled functions that call themselves cannot be kept in Numba's cache.
    """
    if index + 1 < limited and first == NUM_COLOURS:
        if need > 0:
            return 0.0
        index, first, need = index + 1, 0, hand_size(s, order[index + 1])
    if index + 1 == limited:
        return count_last_deals(s.void[order[index]], first, need, number)
    sizes = np.empty(MAX_PLAYERS * NUM_COLOURS, np.int64)  # by seat and colour
    needs = np.empty(MAX_PLAYERS * NUM_COLOURS, np.int64)
    ways = np.empty(MAX_PLAYERS * NUM_COLOURS)
    start = at = index * NUM_COLOURS + first
    sizes[at], needs[at], ways[at] = -1, need, 1.0
    total = 0.0
    while at >= start:
        place, colour = at // NUM_COLOURS, at % NUM_COLOURS
        number[colour] += max(sizes[at], 0)
        sizes[at] += 1
        most = 0 if (s.void[order[place]] >> colour) & 1 else min(needs[at], number[colour])
        if sizes[at] > most:
            at -= 1
            continue
        product = ways[at] * CHOOSE[number[colour], sizes[at]]
        number[colour] -= sizes[at]
        following = needs[at] - sizes[at]
        if colour == NUM_COLOURS - 1:
            if following > 0:
                continue
            following = hand_size(s, order[place + 1])
            if place + 2 == limited:
                void = s.void[order[place + 1]]
                total += product * count_last_deals(void, 0, following, number)
                continue
        at += 1
        sizes[at], needs[at], ways[at] = -1, following, product
    return total


@njit
def count_last_deals(void: int, first: int, need: int, number: np.ndarray) -> float:
    """Count the ways to draw `need` cards of the colours from `first` on but those in `void`."""
    allowed = 0
    for colour in range(first, NUM_COLOURS):
        if not (void >> colour) & 1:
            allowed += number[colour]
    return CHOOSE[allowed, need]


@njit
def count_colours(cards: np.ndarray, count: int) -> np.ndarray:
    """Return how many of the first `count` cards are of each colour."""
    number = np.zeros(NUM_COLOURS, np.int64)
    for index in range(count):
        number[colour_of(cards[index])] += 1
    return number


@njit
def limited_seats(
    s: np.record,
    seat: int,
    hidden: np.ndarray,
    left: int,
    order: np.ndarray,
    most: np.ndarray,
) -> int:
    """List in `order` the other seats that did not follow a colour, and count them.

    Those with the fewest cards to draw from come first. `most` is the largest number of cards
    that a seat can draw from when the ones before it have drawn.
    """
    number = count_colours(hidden, left)
    count = 0
    for other in range(s.players):
        if other != seat and s.void[other] != 0:
            allowed = cards_outside(s.void[other], number)
            place = count
            while place > 0 and most[place - 1] > allowed:
                order[place], most[place] = order[place - 1], most[place - 1]
                place -= 1
            order[place], most[place] = other, allowed
            count += 1
    for index in range(count):
        for earlier in range(index):  # takes at least what only these colours can give it
            void = s.void[order[earlier]]
            elsewhere = 0
            for colour in range(NUM_COLOURS):
                if not (void >> colour) & 1 and (s.void[order[index]] >> colour) & 1:
                    elsewhere += number[colour]
            most[index] -= max(0, hand_size(s, order[earlier]) - elsewhere)
    return count


@njit
def cards_outside(void: int, number: np.ndarray) -> int:
    """Return how many cards, `number` by colour, are of none of the colours `void`."""
    count = 0
    for colour in range(NUM_COLOURS):
        if not (void >> colour) & 1:
            count += number[colour]
    return count


@njit
def gather_allowed(void: int, cards: np.ndarray, count: int) -> int:
    """Move all cards but the colours `void` to the end of the first `count` cards; count them."""
    first = count
    for index in range(count - 1, -1, -1):
        if not (void >> colour_of(cards[index])) & 1:
            first -= 1
            cards[index], cards[first] = cards[first], cards[index]
    return count - first


@njit
def place_in_turn(s: np.record, seat: int, hidden: np.ndarray, left: int) -> int:
    """Sample what the others have placed so far in phase `place`; return what is left (8.2)."""
    other = s.dealer
    for turn in range(s.pile_size):
        if other != seat:
            left -= 1
            s.placed[other] = hidden[left]
            s.pile[turn] = hidden[left]
        other = other + 1 if other + 1 < s.players else 0
    return left


@njit
def place_all(s: np.record, seat: int, hidden: np.ndarray, left: int, drawn: int) -> int:
    """Sample what the others have placed, and the pile of it; return what is left (8.2, R26).

    `drawn` are the cards that `seat` has drawn as bits; they are not put on the pile here.
    """
    known = drawn
    if s.trump_card != NO_CARD:
        known |= 1 << int(s.trump_card)
    own = 1 << int(s.placed[seat])
    cards = np.empty(NUM_CARDS, np.int16)  # five at most
    count = list_bits(known & ~own, cards)
    while count < s.players - 1:
        left -= 1
        cards[count] = hidden[left]
        count += 1
    shuffle(s, cards, count)
    for other in range(s.players):
        if other != seat:
            count -= 1
            s.placed[other] = cards[count]
    for other in range(s.players):
        if not (known >> int(s.placed[other])) & 1:
            s.pile[count] = s.placed[other]
            count += 1
    shuffle(s, s.pile, count)
    return left
