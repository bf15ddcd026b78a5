"""Fire Bulls: Qi cards in five colours are paid for Yen cards along lines that the bulls mark.

Section and ruling numbers are those of docs/rules/fire_bulls.md. Multisets are counts by type, in
canonical order. Where 0 means "none", a Yen card, a direction or a seat is stored as its index + 1.
"""

import numpy as np

from ..compiled import njit
from ..rng import draw_below, shuffle
from .cards import (
    ALWAYS_BONUS,
    BO,
    COLOUR_OF,
    COST,
    FIELD,
    GENERAL,
    MOST_PAID,
    NUM_COLOURS,
    NUM_QI,
    NUM_YEN,
    POINTS,
    QI_CARDS,
    QI_COPIES,
    QI_NAMES,
    SCORE_WEIGHT,
    TIE_WEIGHT,
    VICE,
    WARRIOR,
    YEN_CARDS,
    YEN_COPIES,
    YEN_NAMES,
    affordable,
    next_types,
    packed,
    size_of,
)

# Sizes and constants (1-4)
MAX_PLAYERS, HAND_LIMIT, DEAL, DISPLAY_SIZE = 5, 8, 3, 3
NOTHING = -1  # no card was drawn
LAST_TIME = 3  # how often the Qi pile may run out
ROWS = ROW_LENGTH = NUM_PILES = 3
DIRECTIONS = ("DL", "L", "M", "R", "DR")
NUM_DIRECTIONS = len(DIRECTIONS)
AT_GENERAL = NUM_DIRECTIONS  # the direction of an attack on the General set aside
LINES = np.array([[0, 4, 8], [0, 1, 2], [3, 4, 5], [6, 7, 8], [6, 4, 2]])  # cells, first one first
MOST_BEATEN = ROW_LENGTH  # Yen cards in one turn (R14)
THREE_CARDS_REWARD = 2  # Qi cards
IDLE_ROUNDS = 4  # turns of each seat, all swaps, that end the game (R34)
SCORE_SCALE = 20.0  # a typical lead over the mean of the others (9)

# Options, phases, `to_act` after the end, ends, the General, rewards
REACHES = ("graded", "strict", "free")
GRADED, STRICT, FREE = range(len(REACHES))
PHASES = ("turn", "attack", "reward", "penalty", "discard", "over")
TURN, ATTACK, REWARD, PENALTY, DISCARD, OVER_PHASE = range(len(PHASES))
OVER = -1
ENDS = (None, "general", "escape", "stall")
NO_END, GENERAL_END, ESCAPE, STALL = range(len(ENDS))
GENERAL_STATES = ("hidden", "aside", "beaten")
HIDDEN, ASIDE, BEATEN = range(len(GENERAL_STATES))
REWARDED = (BO, VICE, GENERAL)  # cards with a reward of their own

# Actions (7)
DRAW_STAY = NUM_QI  # ids below take a face-up card
DRAW_LEFT, DRAW_RIGHT = DRAW_STAY + 1, DRAW_STAY + 2
ATTACK_AT = DRAW_RIGHT + 1
PLAY_AT = ATTACK_AT + NUM_DIRECTIONS + 1
STOP = PLAY_AT + NUM_QI
REWARD_YES, REWARD_NO = STOP + 1, STOP + 2
REMOVE_AT = REWARD_NO + 1
DISCARD_AT = REMOVE_AT + NUM_YEN
ACTION_NAMES = (
    *(f"take {kind}" for kind in QI_NAMES),
    *("draw stay", "draw left", "draw right"),
    *(f"attack {direction}" for direction in (*DIRECTIONS, "general")),
    *(f"play {kind}" for kind in QI_NAMES),
    *("stop", "reward yes", "reward no"),
    *(f"remove {card}" for card in YEN_NAMES),
    *(f"discard {kind}" for kind in QI_NAMES),
)

STATE = np.dtype(
    [
        ("rng", np.uint64),  # the game's own generator: every later shuffle and random card
        ("players", np.int16),
        ("reach", np.int16),  # index in REACHES
        ("to_act", np.int16),  # acting seat, or OVER
        ("phase", np.int16),  # index in PHASES
        ("end", np.int16),  # index in ENDS
        ("start", np.int16),  # starting seat
        ("finished", np.int16),  # how often the Qi pile has run out
        ("idle", np.int16),  # length of the current run of swap turns
        ("swapped", np.int16, MAX_PLAYERS),  # 1 = the seat's latest turn was a swap
        ("colour", np.int16, MAX_PLAYERS),
        ("bull", np.int16, MAX_PLAYERS),  # direction
        ("score", np.int16, MAX_PLAYERS),  # points and bonuses of the beaten cards
        ("hand", np.int16, (MAX_PLAYERS, NUM_QI)),
        ("known", np.int16, (MAX_PLAYERS, NUM_QI)),  # the part of a hand that everybody knows
        ("drawn", np.int16, (MAX_PLAYERS, NUM_QI)),  # drawn unseen from the current pile
        ("pool", np.int16, NUM_QI),  # what the current pile was formed from, less cards turned up
        ("display", np.int16, NUM_QI),
        ("discard", np.int16, NUM_QI),
        ("qi_pile", np.int16, QI_CARDS),  # next card last
        ("qi_size", np.int16),
        ("yen_pile", np.int16, (NUM_PILES, YEN_CARDS)),  # next card last
        ("yen_size", np.int16, NUM_PILES),
        ("yen_hidden", np.int16, NUM_YEN),  # what lies in the three piles
        ("cell", np.int16, ROWS * ROW_LENGTH),  # Yen card + 1 at row * 3 + place, 0 = front
        ("general", np.int16),  # index in GENERAL_STATES
        ("beaten", np.int16, (MAX_PLAYERS, NUM_YEN)),
        ("removed", np.int16, NUM_YEN),
        ("attack_dir", np.int16),  # direction + 1; 0 = no attack, then so are the next six
        ("limit", np.int16),  # Yen cards this attack may beat
        ("attack_beaten", np.int16, NUM_YEN),  # beaten in this attack
        ("num_beaten", np.int16),
        ("paid", np.int16, MOST_PAID),  # Qi cards laid for the target, in order
        ("num_paid", np.int16),
        ("warriors", np.int16),  # played this turn and not yet atoned for
        ("reward", np.int16),  # Yen card + 1 whose reward is offered
        ("thief", np.int16),  # seat + 1 that took the General's reward
        ("stolen", np.int16, MAX_PLAYERS),  # Qi card + 1 that each seat lost to it
    ]
)


@njit
def init(s: np.record, players: int, options: np.ndarray, seed: int) -> None:
    """Set up a game (4); `options` are (reach,)."""
    s.rng = seed
    s.players, s.reach = players, options[0]
    lay_out_yen(s)
    for index in range(NUM_COLOURS):
        s.colour[index] = s.bull[index] = index
    shuffle(s, s.colour, NUM_COLOURS)
    shuffle(s, s.bull, NUM_DIRECTIONS)
    s.colour[players:] = s.bull[players:] = 0
    s.discard[:] = QI_COPIES
    form_pile(s)
    for seat in range(players):
        for _ in range(DEAL):
            draw_to_hand(s, seat)
    for _ in range(DISPLAY_SIZE):
        draw_to_display(s)
    s.start = s.to_act = draw_below(s, players)


@njit
def lay_out_yen(s: np.record) -> None:
    """Shuffle the Yen cards into three piles and fill the rows from them (4, R1)."""
    cards = np.empty(YEN_CARDS, np.int16)
    count = 0
    for card in range(NUM_YEN):
        s.yen_hidden[card] = YEN_COPIES[card]
        for _ in range(YEN_COPIES[card]):
            cards[count] = card
            count += 1
    shuffle(s, cards, YEN_CARDS)
    size = YEN_CARDS // NUM_PILES
    for row in range(ROWS):
        s.yen_pile[row, :size] = cards[row * size : (row + 1) * size]
        s.yen_size[row] = size
        fill_row(s, row)


# Targets and costs


@njit
def packed_paid(s: np.record) -> int:
    """Return the Qi cards laid for the current target as one int."""
    cards = 0
    for index in range(s.num_paid):
        cards += 1 << (FIELD * int(s.paid[index]))
    return cards


@njit
def last_paid(s: np.record) -> int:
    """Return the type of the last Qi card laid for the current target, 0 before the first."""
    return int(s.paid[s.num_paid - 1]) if s.num_paid > 0 else 0


@njit
def target_cell(s: np.record, direction: int) -> int:
    """Return the first cell of a line that is not empty, or -1 (5, R6)."""
    for place in range(ROW_LENGTH):
        cell = LINES[direction, place]
        if s.cell[cell] > 0:
            return cell
    return -1


@njit
def target_card(s: np.record, direction: int) -> int:
    """Return the Yen card + 1 that an attack from there meets first; 0 if there is none (5)."""
    if direction == AT_GENERAL:
        return GENERAL + 1 if s.general == ASIDE else 0
    cell = target_cell(s, direction)
    return int(s.cell[cell]) if cell >= 0 else 0


@njit
def reach_limit(s: np.record, seat: int, direction: int) -> int:
    """Return how many Yen cards a seat may beat from a direction (3, R14, R16, R24)."""
    if direction == AT_GENERAL:
        return 1
    distance = abs(int(s.bull[seat]) - direction)
    if s.reach == FREE or distance == 0:
        return MOST_BEATEN
    return max(MOST_BEATEN - distance, 1) if s.reach == GRADED else 1


@njit
def bonus(s: np.record, seat: int, card: int) -> int:
    """Return the own-colour bonus of a Yen card for a seat (2, R4)."""
    return 1 if COLOUR_OF[card] == s.colour[seat] else int(ALWAYS_BONUS[card])


# What is legal (6)


@njit
def can_draw(s: np.record) -> bool:
    """Tell whether a Qi card can be drawn, from the pile or a new one (8, R28)."""
    return s.qi_size > 0 or (s.finished < LAST_TIME and size_of(s.discard) > 0)


@njit
def is_swap(s: np.record, seat: int) -> bool:
    """Tell whether taking a face-up card now is a swap: a card in, a card out, no draw (6, R33)."""
    if size_of(s.hand[seat]) != HAND_LIMIT:
        return False
    return size_of(s.display) > DISPLAY_SIZE or not can_draw(s)


@njit
def legal(s: np.record, mask: np.ndarray) -> None:
    """Fill `mask`, int8[46], for the acting seat; all 0 once the game is over (6)."""
    mask[:] = 0
    seat = s.to_act
    if s.phase == TURN:
        legal_turn(s, mask)
    elif s.phase == ATTACK:
        card = target_card(s, s.attack_dir - 1) - 1
        kinds = next_types(packed(s.hand[seat]), packed_paid(s), last_paid(s), card)
        for kind in range(NUM_QI):
            mask[PLAY_AT + kind] = kinds >> kind & 1
        if s.num_paid == 0 and s.num_beaten > 0:
            mask[STOP] = 1
    elif s.phase == REWARD:
        mask[REWARD_YES] = mask[REWARD_NO] = 1
    elif s.phase == PENALTY:
        for card in range(NUM_YEN):
            mask[REMOVE_AT + card] = 1 if is_earlier(s, card) else 0
    elif s.phase == DISCARD:
        for kind in range(NUM_QI):
            mask[DISCARD_AT + kind] = 1 if s.hand[seat, kind] > 0 else 0


@njit
def legal_turn(s: np.record, mask: np.ndarray) -> None:
    """Fill the zeroed `mask` for the first decision of a turn (6)."""
    seat = s.to_act
    more = can_draw(s)
    if more:
        mask[DRAW_STAY] = 1
        mask[DRAW_LEFT] = 1 if s.bull[seat] > 0 else 0
        mask[DRAW_RIGHT] = 1 if s.bull[seat] < NUM_DIRECTIONS - 1 else 0
    cards = affordable(s.hand[seat])
    for direction in range(NUM_DIRECTIONS + 1):
        card = target_card(s, direction)
        if card > 0 and cards >> (card - 1) & 1 == 1:
            mask[ATTACK_AT + direction] = 1
            more = True
    if more and s.swapped[seat] == 1 and is_swap(s, seat):
        return
    for kind in range(NUM_QI):
        mask[kind] = 1 if s.display[kind] > 0 else 0


@njit
def is_earlier(s: np.record, card: int) -> bool:
    """Tell whether the acting seat beat a Yen card of this name in an earlier turn (6)."""
    return s.beaten[s.to_act, card] > s.attack_beaten[card]


@njit
def has_earlier(s: np.record) -> bool:
    """Tell whether the acting seat has any beaten card from before this turn."""
    found = False
    for card in range(NUM_YEN):
        found = found or is_earlier(s, card)
    return found


# Transitions (8)


@njit
def step(s: np.record, action: int) -> None:
    """Apply a legal action, up to the next decision or the end of the game (8)."""
    if s.phase == TURN:
        first_action(s, action)
    elif s.phase == ATTACK:
        if action == STOP:
            attack_over(s)
        else:
            play(s, action - PLAY_AT)
    elif s.phase == REWARD:
        if action == REWARD_YES:
            take_reward(s)
        s.reward = 0
        go_on(s)
    elif s.phase == PENALTY:
        lose_yen(s, s.to_act, action - REMOVE_AT)
        s.warriors -= 1
        attack_over(s)
    else:
        kind = action - DISCARD_AT
        leave_hand(s, s.to_act, kind)
        s.display[kind] += 1
        end_turn(s)


@njit
def first_action(s: np.record, action: int) -> None:
    """Take a face-up card, draw or start an attack (8)."""
    seat = s.to_act
    swap = action < DRAW_STAY and is_swap(s, seat)
    s.swapped[seat] = 1 if swap else 0
    s.idle = s.idle + 1 if swap else 0
    if action >= ATTACK_AT:
        s.attack_dir = action - ATTACK_AT + 1
        s.limit = reach_limit(s, seat, action - ATTACK_AT)
        s.phase = ATTACK
        return
    if action < DRAW_STAY:
        s.display[action] -= 1
        s.hand[seat, action] += 1
        s.known[seat, action] += 1
        if size_of(s.display) < DISPLAY_SIZE:
            draw_to_display(s)
    else:
        draw_to_hand(s, seat)
        if action == DRAW_LEFT:
            move_bull(s, seat, -1)
        elif action == DRAW_RIGHT:
            move_bull(s, seat, 1)
    if size_of(s.hand[seat]) > HAND_LIMIT:
        s.phase = DISCARD
    else:
        end_turn(s)


@njit
def move_bull(s: np.record, seat: int, by: int) -> None:
    """Move a seat's bull one step; a bull that is there already changes places with it (R12)."""
    left, arrived = int(s.bull[seat]), int(s.bull[seat]) + by
    for other in range(s.players):
        if s.bull[other] == arrived:
            s.bull[other] = left
    s.bull[seat] = arrived


@njit
def form_pile(s: np.record) -> None:
    """Shuffle the discard pile into a new Qi pile (8, R27)."""
    s.drawn[:] = 0
    size = 0
    for kind in range(NUM_QI):
        for _ in range(s.discard[kind]):
            s.qi_pile[size] = kind
            size += 1
        s.pool[kind] = s.discard[kind]
        s.discard[kind] = 0
    s.qi_size = size
    shuffle(s, s.qi_pile, size)


@njit
def draw_qi(s: np.record) -> int:
    """Draw a Qi card, from a new pile if need be, and return its type or NOTHING (8, R27, R28)."""
    if not can_draw(s):
        return NOTHING
    if s.qi_size == 0:
        form_pile(s)
    size = s.qi_size - 1
    kind = int(s.qi_pile[size])
    s.qi_pile[size] = 0
    s.qi_size = size
    if size == 0:
        s.finished += 1
    return kind


@njit
def draw_to_hand(s: np.record, seat: int) -> None:
    """Draw a Qi card unseen to a seat's hand, if there is one."""
    kind = draw_qi(s)
    if kind != NOTHING:
        s.hand[seat, kind] += 1
        s.drawn[seat, kind] += 1


@njit
def draw_to_display(s: np.record) -> None:
    """Turn a Qi card up into the display, if there is one (R10)."""
    kind = draw_qi(s)
    if kind != NOTHING:
        s.display[kind] += 1
        s.pool[kind] -= 1


@njit
def leave_hand(s: np.record, seat: int, kind: int) -> None:
    """Take a card off a hand for all to see (11, `known`)."""
    s.hand[seat, kind] -= 1
    if s.known[seat, kind] > 0:
        s.known[seat, kind] -= 1


@njit
def random_card(s: np.record, seat: int) -> int:
    """Draw the type of a random card of a hand that is not empty: each card is equally likely."""
    left = draw_below(s, size_of(s.hand[seat]))
    kind = 0
    while left >= s.hand[seat, kind]:
        left -= int(s.hand[seat, kind])
        kind += 1
    return kind


@njit
def play(s: np.record, kind: int) -> None:
    """Lay a Qi card for the target, which is beaten with the last one (8, R26)."""
    leave_hand(s, s.to_act, kind)
    s.discard[kind] += 1
    s.paid[s.num_paid] = kind
    s.num_paid += 1
    if kind == WARRIOR:
        s.warriors += 1
    card = target_card(s, s.attack_dir - 1) - 1
    if s.num_paid == COST[card]:
        beat(s, card)


@njit
def beat(s: np.record, card: int) -> None:
    """Beat the target; perhaps its reward is offered (8, R20, R21)."""
    seat = s.to_act
    s.paid[:] = 0
    s.num_paid = 0
    if card == GENERAL:
        s.general = BEATEN
    else:
        s.cell[target_cell(s, s.attack_dir - 1)] = 0
    s.beaten[seat, card] += 1
    s.attack_beaten[card] += 1
    s.num_beaten += 1
    s.score[seat] += POINTS[card] + bonus(s, seat, card)
    if reward_possible(s, card):
        s.reward = card + 1
        s.phase = REWARD
    else:
        go_on(s)


@njit
def reward_possible(s: np.record, card: int) -> bool:
    """Tell whether the reward for beating a Yen card can bring anything (8)."""
    if card == BO:
        return can_draw(s)
    if card in (VICE, GENERAL):
        for other in range(s.players):
            if other != s.to_act and size_of(s.hand[other]) > 0:
                return True
    return False


@njit
def take_reward(s: np.record) -> None:
    """Draw for a Bo; discard or steal a random card of each other hand (8, R22, R23)."""
    seat, card = s.to_act, s.reward - 1
    if card == BO:
        draw_to_hand(s, seat)
        return
    if card == GENERAL:
        s.thief = seat + 1
        s.stolen[:] = 0
    for turn in range(1, s.players):
        other = (seat + turn) % s.players
        if size_of(s.hand[other]) == 0:
            continue
        kind = random_card(s, other)
        if card == VICE:
            leave_hand(s, other, kind)
            s.discard[kind] += 1
        else:
            s.hand[other, kind] -= 1
            s.hand[seat, kind] += 1
            s.stolen[other] = kind + 1
            for seen in range(NUM_QI):  # any of them may have gone (11)
                s.known[other, seen] = max(s.known[other, seen] - 1, 0)


@njit
def go_on(s: np.record) -> None:
    """Go on with the attack if a further card may and can be beaten (8)."""
    if s.num_beaten < s.limit:
        card = target_card(s, s.attack_dir - 1)
        if card > 0 and affordable(s.hand[s.to_act]) >> (card - 1) & 1 == 1:
            s.phase = ATTACK
            return
    attack_over(s)


@njit
def attack_over(s: np.record) -> None:
    """Ask for a Warrior penalty that is due; else reward three cards and end the turn (8)."""
    if s.warriors > 0 and has_earlier(s):
        s.phase = PENALTY
        return
    if s.num_beaten == MOST_BEATEN:
        for _ in range(THREE_CARDS_REWARD):
            draw_to_hand(s, s.to_act)
    s.attack_dir = s.limit = s.num_beaten = s.warriors = 0
    s.attack_beaten[:] = 0
    end_turn(s)


@njit
def lose_yen(s: np.record, seat: int, card: int) -> None:
    """Move a beaten card of a seat out of the game (R19, R36)."""
    s.beaten[seat, card] -= 1
    s.removed[card] += 1
    s.score[seat] -= POINTS[card] + bonus(s, seat, card)


@njit
def fill_row(s: np.record, row: int) -> None:
    """Move a row's cards to the front and fill it up from its pile (8, R35); the General waits."""
    end = (row + 1) * ROW_LENGTH
    front = row * ROW_LENGTH
    for cell in range(front, end):
        card = s.cell[cell]
        if card > 0:
            s.cell[cell] = 0
            s.cell[front] = card
            front += 1
    while front < end and s.yen_size[row] > 0:
        size = s.yen_size[row] - 1
        card = int(s.yen_pile[row, size])
        s.yen_pile[row, size] = 0
        s.yen_size[row] = size
        s.yen_hidden[card] -= 1
        if card == GENERAL:
            s.general = ASIDE
        else:
            s.cell[front] = card + 1
            front += 1


@njit
def end_turn(s: np.record) -> None:
    """Fill the rows, check for the end of the game, pass the turn (8)."""
    empty_piles = 0
    for row in range(ROWS):
        fill_row(s, row)
        if s.yen_size[row] == 0:
            empty_piles += 1
    if s.finished == LAST_TIME:
        s.end = ESCAPE
    elif s.general == BEATEN and empty_piles >= 2:
        s.end = GENERAL_END
    elif s.idle >= IDLE_ROUNDS * s.players:
        s.end = STALL
    else:
        s.to_act = s.to_act + 1 if s.to_act + 1 < s.players else 0
        s.phase = TURN
        return
    if s.end != GENERAL_END:
        for seat in range(s.players):
            punish(s, seat)
    s.phase = OVER_PHASE
    s.to_act = OVER


@njit
def punish(s: np.record, seat: int) -> None:
    """Take a seat's best beaten card: most printed points, then without bonus (9, R31)."""
    best, best_rank = -1, -1
    for card in range(NUM_YEN):
        if s.beaten[seat, card] > 0:
            rank = 2 * int(POINTS[card]) - bonus(s, seat, card) + 1
            if rank > best_rank:
                best, best_rank = card, rank
    if best >= 0:
        lose_yen(s, seat, best)


@njit
def rank_value(s: np.record, seat: int) -> int:
    """Return what seats are ranked by: the score, then the highest printed points (9, R32)."""
    rank = int(s.score[seat]) * SCORE_WEIGHT
    for card in range(NUM_YEN):
        rank += int(s.beaten[seat, card]) * int(TIE_WEIGHT[card])
    return rank


@njit
def outcome(s: np.record, scores: np.ndarray, places: np.ndarray) -> None:
    """Fill the live `scores` and the `places` (number of seats ahead, after tie-breaks; 9).

    Both int64[>= players]. Places mean something at the end only; every seat at place 0 wins.
    """
    for seat in range(s.players):
        scores[seat] = s.score[seat]
        places[seat] = 0
    for seat in range(s.players):
        mine = rank_value(s, seat)
        for other in range(s.players):
            if rank_value(s, other) > mine:
                places[seat] += 1
