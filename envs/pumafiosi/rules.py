"""Pumafiosi (Reiner Knizia, 2022): the second-highest card wins and climbs the hierarchy.

Section and ruling numbers are those of docs/rules/pumafiosi.md. A seat in a hierarchy entry is
stored as seat + 1, so that 0 can mean nobody (or Tony); a card is its number, 0 is no card.
"""

import numpy as np

from ..compiled import njit
from ..rng import shuffle

# Sizes and constants (1-3)
MAX_PLAYERS, NUM_CARDS, HAND_SIZE, PILE_SIZE = 5, 55, 3, 7
NUM_ROUNDS = HAND_SIZE + PILE_SIZE  # every card is played, one a round (R12)
MAX_GAMES = 3
MAX_DECK = NUM_CARDS - 2 * NUM_ROUNDS  # undealt cards of two seats
STEP_VALUES = np.array([10, 8, 7, 6, 5, 3, 2, 1, -3])
NUM_STEPS = len(STEP_VALUES)
CASUALTY = NUM_STEPS - 1  # the step with room for any number of cards
UNREPRESENTED = 10  # penalty points for no card in the hierarchy (9)
ITEM_NAMES = ("machine_gun", "vest", "notebook", "ring")
NUM_ITEMS = len(ITEM_NAMES)
MACHINE_GUN, VEST, NOTEBOOK, RING = range(NUM_ITEMS)
NO_ITEM = 0  # on a card, where a machine gun never lies
SCORE_SCALE = 25.0  # a typical winning margin over the mean of the others (9)

# A hierarchy entry: card, owner and co-owner as seat + 1, item
ENTRY = CARD, OWNER, ITEM, CO_OWNER = range(4)
TONY = NOBODY = 0

# Phases and `to_act` after the end
PHASES = ("play", "place", "ring", "over")
PLAY, PLACE, RING_WINDOW, OVER_PHASE = range(len(PHASES))
OVER = -1

# Actions (7)
PLAY_WITH_GUN = NUM_CARDS  # ids below play a card plainly
PLACE_AT = 2 * NUM_CARDS
PLACE_WITH_VEST, PLACE_WITH_NOTEBOOK = PLACE_AT + NUM_STEPS, PLACE_AT + 2 * NUM_STEPS
GIVE_RING = PLACE_AT + 3 * NUM_STEPS
KEEP_RING = GIVE_RING + 1
ACTION_NAMES = (
    *(f"play {card}" for card in range(1, NUM_CARDS + 1)),
    *(f"play {card} with machine gun" for card in range(1, NUM_CARDS + 1)),
    *(f"place at {value}" for value in STEP_VALUES),
    *(f"place at {value} with vest" for value in STEP_VALUES),
    *(f"place at {value} with notebook" for value in STEP_VALUES),
    "give ring",
    "keep ring",
)

STATE = np.dtype(
    [
        ("rng", np.uint64),  # the game's own generator; nothing is random after `init` (R2)
        ("players", np.int16),
        ("items_option", np.int16),  # 1 = played with items
        ("games", np.int16),  # 1 or 3
        ("to_act", np.int16),  # acting seat, or OVER
        ("phase", np.int16),  # index in PHASES
        ("game_number", np.int16),  # 1..games
        ("round_number", np.int16),  # 1..NUM_ROUNDS
        ("start_seat", np.int16),  # leads the current round
        ("wealth", np.int16, MAX_PLAYERS),
        ("penalty", np.int16, MAX_PLAYERS),
        ("unused", np.int16, (MAX_PLAYERS, NUM_ITEMS)),  # 1 = the seat still has the item
        ("age_order", np.int16, MAX_PLAYERS),  # seats, oldest first
        ("hand", np.int16, (MAX_PLAYERS, HAND_SIZE)),  # ascending
        ("hand_size", np.int16, MAX_PLAYERS),
        ("pile", np.int16, (MAX_PLAYERS, PILE_SIZE)),  # next card last
        ("pile_size", np.int16, MAX_PLAYERS),
        ("deck", np.int16, MAX_DECK),  # undealt; Tony's with two seats, next card last
        ("deck_size", np.int16),
        ("future_decks", np.int16, (MAX_GAMES, NUM_CARDS)),  # by game - 1; zero once dealt
        ("played", np.int16, (MAX_PLAYERS, NUM_ROUNDS)),  # in this game, oldest first
        ("num_played", np.int16, MAX_PLAYERS),
        ("tony_played", np.int16, NUM_ROUNDS),
        ("num_tony_played", np.int16),
        ("table", np.int16, MAX_PLAYERS),  # this round's card of each seat
        ("gun", np.int16, MAX_PLAYERS),  # 1 = played with the machine gun
        ("tony_card", np.int16),
        ("column", np.int16, (CASUALTY, len(ENTRY))),  # steps 0-7
        ("casualty", np.int16, (NUM_ROUNDS, len(ENTRY))),  # in order of arrival
        ("num_casualty", np.int16),
        ("ring_target", np.int16),  # card that may get the ring
    ]
)


@njit
def init(s: np.record, players: int, options: np.ndarray, seed: int) -> None:
    """Set up a match (4): ages, all decks, items; `options` are (items, games)."""
    s.rng = seed
    s.players, s.items_option, s.games = players, options[0], options[1]
    for seat in range(players):
        s.age_order[seat] = seat
        s.unused[seat, :] = s.items_option
    shuffle(s, s.age_order, players)
    for game in range(s.games):
        for card in range(NUM_CARDS):
            s.future_decks[game, card] = card + 1
        shuffle(s, s.future_decks[game], NUM_CARDS)
    s.start_seat = s.age_order[1]
    start_game(s)


@njit
def start_game(s: np.record) -> None:
    """Deal the next game (4) and start its first round."""
    deck = s.future_decks[s.game_number]
    s.game_number += 1
    s.column[:] = 0
    s.casualty[:] = 0
    s.num_casualty = 0
    s.played[:] = 0
    s.num_played[:] = 0
    s.tony_played[:] = 0
    s.num_tony_played = 0
    left = NUM_CARDS
    for seat in range(s.players):
        for _ in range(HAND_SIZE):
            left -= 1
            take_in_hand(s, seat, deck[left])
        for place in range(PILE_SIZE):
            left -= 1
            s.pile[seat, place] = deck[left]
        s.pile_size[seat] = PILE_SIZE
    s.deck[:] = 0
    s.deck[:left] = deck[:left]
    s.deck_size = left
    deck[:] = 0
    s.round_number = 0
    start_round(s, s.start_seat)


@njit
def start_round(s: np.record, leader: int) -> None:
    """Let `leader` open the next round; with two seats Tony reveals his card first (4, R23)."""
    s.round_number += 1
    s.start_seat = leader
    s.phase = PLAY
    s.to_act = leader
    if s.players == 2:
        s.deck_size -= 1
        s.tony_card = s.deck[s.deck_size]
        s.deck[s.deck_size] = 0
        s.tony_played[s.num_tony_played] = s.tony_card
        s.num_tony_played += 1


@njit
def take_in_hand(s: np.record, seat: int, card: int) -> None:
    """Insert `card` into the ascending hand of `seat`."""
    place = s.hand_size[seat]
    while place > 0 and s.hand[seat, place - 1] > card:
        s.hand[seat, place] = s.hand[seat, place - 1]
        place -= 1
    s.hand[seat, place] = card
    s.hand_size[seat] += 1


@njit
def legal(s: np.record, mask: np.ndarray) -> None:
    """Fill `mask` int8[139] with the legal actions of the acting seat (6, 7); zeros when over."""
    mask[:] = 0
    seat = s.to_act
    if s.phase == PLAY:
        for place in range(s.hand_size[seat]):
            card = s.hand[seat, place]
            mask[card - 1] = 1
            mask[PLAY_WITH_GUN + card - 1] = s.unused[seat, MACHINE_GUN]
    elif s.phase == PLACE:
        for step_index in range(NUM_STEPS):
            if may_lie_at(s, s.table[seat], step_index):
                mask[PLACE_AT + step_index] = 1
                mask[PLACE_WITH_VEST + step_index] = s.unused[seat, VEST]
                mask[PLACE_WITH_NOTEBOOK + step_index] = s.unused[seat, NOTEBOOK]
    elif s.phase == RING_WINDOW:
        mask[GIVE_RING] = 1
        mask[KEEP_RING] = 1


@njit
def may_lie_at(s: np.record, card: int, step_index: int) -> bool:
    """Tell whether `card` may be placed there: casualty, empty, or a lower card (6, R6, R7)."""
    return step_index == CASUALTY or s.column[step_index, CARD] < card


@njit
def step(s: np.record, action: int) -> None:
    """Apply a legal action, up to the next decision or the end of the match (8)."""
    if s.phase == PLAY:
        if action < PLAY_WITH_GUN:
            play(s, action + 1, 0)
        else:
            play(s, action - PLAY_WITH_GUN + 1, 1)
    elif s.phase == PLACE:
        if action < PLACE_WITH_VEST:
            place(s, action - PLACE_AT, NO_ITEM)
        elif action < PLACE_WITH_NOTEBOOK:
            place(s, action - PLACE_WITH_VEST, VEST)
        else:
            place(s, action - PLACE_WITH_NOTEBOOK, NOTEBOOK)
    else:
        if action == GIVE_RING:
            give_ring(s)
        s.ring_target = 0
        end_round(s, s.to_act)


@njit
def play(s: np.record, card: int, gun: int) -> None:
    """Lay `card` on the table, with the machine gun if `gun`, and draw at once (8, R10)."""
    seat = s.to_act
    size = s.hand_size[seat] - 1
    place = 0
    while s.hand[seat, place] != card:
        place += 1
    for following in range(place, size):
        s.hand[seat, following] = s.hand[seat, following + 1]
    s.hand[seat, size] = 0
    s.hand_size[seat] = size
    s.table[seat] = card
    s.gun[seat] = gun
    s.unused[seat, MACHINE_GUN] -= gun
    s.played[seat, s.num_played[seat]] = card
    s.num_played[seat] += 1
    if s.pile_size[seat] > 0:
        s.pile_size[seat] -= 1
        take_in_hand(s, seat, s.pile[seat, s.pile_size[seat]])
        s.pile[seat, s.pile_size[seat]] = 0
    s.to_act = (seat + 1) % s.players
    if s.to_act == s.start_seat:
        resolve(s)


@njit
def strength(card: int, gun: int) -> int:
    """Return twice the strength of a card, an int: a machine gun adds 10.5 (R4)."""
    return 2 * card + 21 * gun


@njit
def resolve(s: np.record) -> None:
    """Find the round's winner, the second-highest card (8, R3); Tony places his at once (R25)."""
    best, second = strength(s.tony_card, 0), 0
    best_owner, second_owner = TONY, TONY
    for seat in range(s.players):
        mine = strength(s.table[seat], s.gun[seat])
        if mine > best:
            second, second_owner = best, best_owner
            best, best_owner = mine, seat + 1
        elif mine > second:
            second, second_owner = mine, seat + 1
    if second_owner != TONY:
        s.phase = PLACE
        s.to_act = second_owner - 1
        return
    step_index = 0
    while not may_lie_at(s, s.tony_card, step_index):
        step_index += 1
    enter_hierarchy(s, step_index, s.tony_card, TONY, NO_ITEM)
    clear_table(s)
    end_round(s, 1 - s.start_seat)  # the seat that did not lead (R24)


@njit
def place(s: np.record, step_index: int, item: int) -> None:
    """Place the winning card, perhaps with vest or notebook; perhaps open the ring window (8)."""
    seat = s.to_act
    bumped, bumped_owner, bumped_item = 0, TONY, NO_ITEM
    if step_index != CASUALTY:
        bumped = s.column[step_index, CARD]
        bumped_owner = s.column[step_index, OWNER]
        bumped_item = s.column[step_index, ITEM]
    if item != NO_ITEM:
        s.unused[seat, item] = 0
    enter_hierarchy(s, step_index, s.table[seat], seat + 1, item)
    clear_table(s)
    # Whoever bumps an item-free card of another seat or of Tony may give the ring (6, R31)
    foreign = bumped > 0 and bumped_owner != seat + 1 and bumped_item == NO_ITEM
    if foreign and s.unused[seat, RING] == 1:
        s.phase = RING_WINDOW
        s.ring_target = bumped
    else:
        end_round(s, seat)


@njit
def clear_table(s: np.record) -> None:
    """Put the round's cards that were not placed into the box (8)."""
    s.table[:] = 0
    s.gun[:] = 0
    s.tony_card = 0


@njit
def enter_hierarchy(s: np.record, step_index: int, card: int, owner: int, item: int) -> None:
    """Let a card enter at a step it may lie at; lower cards fall, each drop is charged (8, R9).

    `owner` is seat + 1, or TONY. On every step the higher card stays and the other falls on.
    """
    co_owner = NOBODY
    while step_index != CASUALTY:
        here = s.column[step_index]
        if card > here[CARD]:
            card, here[CARD] = here[CARD], card
            owner, here[OWNER] = here[OWNER], owner
            item, here[ITEM] = here[ITEM], item
            co_owner, here[CO_OWNER] = here[CO_OWNER], co_owner
        if card == 0:
            return
        charge_drop(s, owner, item, co_owner)
        step_index += 1
    last = s.casualty[s.num_casualty]
    last[CARD], last[OWNER], last[ITEM], last[CO_OWNER] = card, owner, item, co_owner
    s.num_casualty += 1


@njit
def charge_drop(s: np.record, owner: int, item: int, co_owner: int) -> None:
    """Charge owner and co-owner for one drop: 1 point, a notebook 2, a vest none (8, R28-R32)."""
    if item == VEST:
        return
    points = 2 if item == NOTEBOOK else 1
    if owner != TONY:
        s.penalty[owner - 1] += points
    if co_owner != NOBODY:
        s.penalty[co_owner - 1] += points


@njit
def find_step(s: np.record, card: int) -> int:
    """Return the step on which `card`, which lies in the hierarchy, is."""
    for step_index in range(CASUALTY):
        if s.column[step_index, CARD] == card:
            return step_index
    return CASUALTY


@njit
def find_entry(s: np.record, card: int) -> np.ndarray:
    """Return a view of the hierarchy entry of `card`, which lies there."""
    index = 0
    while hierarchy_entry(s, index)[CARD] != card:
        index += 1
    return hierarchy_entry(s, index)


@njit
def hierarchy_entry(s: np.record, index: int) -> np.ndarray:
    """Return a view of the entry at `index`: steps 0-7 (perhaps empty), then the casualties."""
    return s.column[index] if index < CASUALTY else s.casualty[index - CASUALTY]


@njit
def give_ring(s: np.record) -> None:
    """Put the acting seat's ring on the target: co-owned, or taken over from Tony (8, R30-R33)."""
    target = find_entry(s, s.ring_target)
    s.unused[s.to_act, RING] = 0
    target[ITEM] = RING
    if target[OWNER] == TONY:
        target[OWNER] = s.to_act + 1
    else:
        target[CO_OWNER] = s.to_act + 1


@njit
def end_round(s: np.record, leader: int) -> None:
    """Go on to the next round, opened by `leader`, the next game or the end of the match (8)."""
    if s.round_number < NUM_ROUNDS:
        start_round(s, leader)
        return
    scores = np.empty(MAX_PLAYERS, np.int64)
    score_now(s, scores)
    for seat in range(s.players):  # only the difference is carried over (9, R15)
        s.wealth[seat] = max(scores[seat], 0)
        s.penalty[seat] = max(-scores[seat], 0)
    if s.game_number < s.games:
        s.start_seat = next_starter(s)
        start_game(s)
    else:
        s.phase = OVER_PHASE
        s.to_act = OVER


@njit
def score_now(s: np.record, scores: np.ndarray) -> int:
    """Fill `scores` [>= players] with the points if the game were scored now (9).

    Returns who is represented in the hierarchy, as bits: 1 << seat + 1.
    """
    for seat in range(s.players):
        scores[seat] = s.wealth[seat] - s.penalty[seat]
    represented = 0
    for step_index in range(CASUALTY):
        if s.column[step_index, CARD] > 0:
            represented |= score_entry(s.column[step_index], step_index, scores)
    for index in range(s.num_casualty):
        represented |= score_entry(s.casualty[index], CASUALTY, scores)
    for seat in range(s.players):
        if not represented >> (seat + 1) & 1:
            scores[seat] -= UNREPRESENTED
    return represented


@njit
def score_entry(entry: np.ndarray, step_index: int, scores: np.ndarray) -> int:
    """Add what `entry` is worth on that step to its seats' `scores`; return those seats as bits."""
    value = STEP_VALUES[step_index]
    if entry[ITEM] == NOTEBOOK:
        value *= 2
    if entry[OWNER] != TONY:
        scores[entry[OWNER] - 1] += value
    if entry[CO_OWNER] != NOBODY:
        scores[entry[CO_OWNER] - 1] += value
    return 1 << entry[OWNER] | 1 << entry[CO_OWNER]


@njit
def next_starter(s: np.record) -> int:
    """Return the seat with the highest score; of several, the second-oldest (8, R16-R17)."""
    highest = -1000
    starter, tied = 0, 0
    for age in range(s.players):
        seat = s.age_order[age]
        score = s.wealth[seat] - s.penalty[seat]
        if score > highest:
            highest, starter, tied = score, seat, 1
        elif score == highest:
            tied += 1
            if tied == 2:
                starter = seat
    return starter


@njit
def topmost_step(s: np.record, seat: int) -> int:
    """Return the highest step with an own or co-owned card of `seat`; NUM_STEPS if none (R21)."""
    for index in range(CASUALTY + s.num_casualty):
        entry = hierarchy_entry(s, index)
        if entry[OWNER] == seat + 1 or entry[CO_OWNER] == seat + 1:
            return min(index, CASUALTY)
    return NUM_STEPS


@njit
def outcome(s: np.record, scores: np.ndarray, places: np.ndarray) -> None:
    """Fill the live `scores` and the `places` (number of seats ahead, after tie-breaks; 9).

    Both int64[>= players]. Places mean something at the end only; every seat at place 0 wins.
    """
    for seat in range(s.players):
        scores[seat] = s.wealth[seat] - s.penalty[seat]
    for seat in range(s.players):
        top = topmost_step(s, seat)
        places[seat] = 0
        for other in range(s.players):
            ahead = scores[other] > scores[seat]
            tied = scores[other] == scores[seat]
            if ahead or (tied and topmost_step(s, other) < top):
                places[seat] += 1
