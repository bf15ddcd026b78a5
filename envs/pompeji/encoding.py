"""What a seat of Pompeji may know: the observation (12) and sampling of what it cannot (11)."""

import numpy as np

from ..compiled import njit
from ..encoding import relative
from ..game import blocks
from ..rng import draw_below, shuffle
from .rules import (
    BLOCK,
    BUILDING,
    CELL,
    COLOUR,
    DECLARE_BUILDING,
    DECLARE_COLOUR,
    HAND_SIZE,
    LAY_AT,
    MAX_PLAYERS,
    OVER,
    OVER_PHASE,
    PERMIT,
    PHASES,
    PLAY,
    PLAY_CARD,
    PLAY_STATUE,
    can_lay_statue,
    has_placeable_card,
    may_declare,
    take_in_hand,
)
from .town import (
    BUILDING_OF,
    COLOUR_OF,
    MIDDLE,
    NOTHING,
    NUM_CARDS,
    NUM_CELLS,
    NUM_KINDS,
    NUMBERS,
    PAD,
    SEVENTHS,
    SHOWS,
    SIDE,
    SPAN,
    STATUE,
    VOLCANO,
    best_declaration,
    best_lane,
    card_points,
    fits,
    free_columns,
    free_rows,
    is_placeable,
    lane,
    look,
    statue_buildings,
    statue_colours,
)

MAX_POINTS = 100  # a gain of so many points is 1
FULL_STACK = 44  # cards, after the set-up for two seats
# A product is several times faster than a quotient.
PER_POINT, PER_SCORE, PER_LEAD = 1 / MAX_POINTS, 1 / 600, 1 / 150
PER_HAND, PER_STACK, PER_NUMBER = 1 / HAND_SIZE, 1 / FULL_STACK, 1 / NUM_KINDS
WINDOW = SPAN * SPAN  # cells of one plane
STATUE_PLANE, NUMBER_PLANE = 2 * NUM_KINDS, 2 * NUM_KINDS + 1
NUM_PLANES = NUMBER_PLANE + 1

BLOCKS = blocks(
    ("players", 3, "one-hot: 2, 3, 4 seats"),
    ("option_permits", 2, "one-hot: 1, 2 permits"),
    ("option_values", 2, "one-hot: latin, building"),
    ("phase", len(PHASES), "one-hot: " + ", ".join(PHASES)),
    ("to_act", MAX_PLAYERS, "one-hot, relative seat: acts now; zeros when over"),
    ("turn", MAX_PLAYERS, "one-hot, relative seat: whose normal turn it is, or comes next"),
    ("extra", 1, "an extra turn is being played"),
    ("score", MAX_PLAYERS, "relative seats: score / 600, clipped to [-1, 1]"),
    ("lead", MAX_PLAYERS, "relative seats: (own score - that seat's) / 150, clipped to [-1, 1]"),
    ("hand_size", MAX_PLAYERS, "relative seats: cards in hand / 3"),
    ("statues", MAX_PLAYERS, "relative seats: statues left"),
    ("permits", MAX_PLAYERS, "relative seats: permits left / 2"),
    ("volcanoes", 1, "volcanoes uncovered / 2"),
    ("stack", 1, "cards in the stack / 44, clipped to 1"),
    ("volcano_chance", 1, "chance that the next card is a volcano; 0 when over"),
    ("hand", NUM_CARDS, "own hand, by card number"),
    ("discards", NUM_CARDS, "discards, by card number"),
    ("unseen", NUM_CARDS, "cards in the stack or in another hand that is not shown"),
    ("chosen", NUM_CARDS + 1, "own choice, when to act: card by number, then statue"),
    ("chosen_cell", NUM_CELLS, "own choice, when to act: cell of the statue"),
    ("chosen_building", NUM_KINDS, "own choice, when to act: building of the statue"),
    (
        "origin",
        4 * NUM_KINDS,
        "one-hots: the town's top row, left column, bottom row - 6, right column - 6",
    ),
    (
        "window",
        NUM_PLANES * WINDOW,
        "planes of 7 x 7 cells from (top row, left column) on: seven buildings, seven colours, "
        "statue, number / 7",
    ),
    ("free", NUM_CELLS, "free cells"),
    (
        "gain_card",
        NUM_CARDS,
        "own hand cards: most points on a cell that fits / 100, clipped",
        PLAY_CARD,
    ),
    ("gain_statue", 1, "own statue: most points / 100, clipped", PLAY_STATUE),
    (
        "gain_cell",
        NUM_CELLS,
        "free cells: points / 100 of the own chosen card or statue, without one the most of the "
        "own hand cards; clipped",
        LAY_AT,
    ),
    (
        "gain_building",
        NUM_KINDS,
        "own phase building: most points / 100 by building, clipped",
        DECLARE_BUILDING,
    ),
    (
        "gain_colour",
        NUM_KINDS,
        "own phase colour: points / 100 by colour, clipped",
        DECLARE_COLOUR,
    ),
)
(
    PLAYERS_AT,
    OPTION_PERMITS_AT,
    OPTION_VALUES_AT,
    PHASE_AT,
    TO_ACT_AT,
    TURN_AT,
    EXTRA_AT,
    SCORE_AT,
    LEAD_AT,
    HAND_SIZE_AT,
    STATUES_AT,
    PERMITS_AT,
    VOLCANOES_AT,
    STACK_AT,
    VOLCANO_CHANCE_AT,
    HAND_AT,
    DISCARDS_AT,
    UNSEEN_AT,
    CHOSEN_AT,
    CHOSEN_CELL_AT,
    CHOSEN_BUILDING_AT,
    ORIGIN_AT,
    WINDOW_AT,
    FREE_AT,
    GAIN_CARD_AT,
    GAIN_STATUE_AT,
    GAIN_CELL_AT,
    GAIN_BUILDING_AT,
    GAIN_COLOUR_AT,
) = (block.offset for block in BLOCKS)


@njit
def observe(s: np.record, seat: int, out: np.ndarray) -> None:
    """Write what `seat` may know into `out`, float32[1633]: the blocks of section 12.

    `seat` must be below `s.players`; the public `State.observation` raises ValueError otherwise.
    """
    out[:] = 0
    out[PLAYERS_AT + s.players - 2] = 1
    out[OPTION_PERMITS_AT + s.permits_option - 1] = 1
    out[OPTION_VALUES_AT + s.values_option] = 1
    out[PHASE_AT + s.phase] = 1
    if s.to_act != OVER:
        out[TO_ACT_AT + relative(s, s.to_act, seat)] = 1
    out[TURN_AT + relative(s, s.turn, seat)] = 1
    out[EXTRA_AT] = s.extra
    out[VOLCANOES_AT] = s.volcanoes * 0.5
    out[STACK_AT] = min(s.stack_size * PER_STACK, 1.0)
    out[VOLCANO_CHANCE_AT] = volcano_chance(s)
    observe_seats(s, seat, out)
    observe_cards(s, seat, out)
    observe_town(s, out)
    observe_gains(s, seat, out)
    if s.to_act == seat and s.card != NOTHING:
        observe_choice(s, out)


@njit
def volcano_chance(s: np.record) -> float:
    """Return the chance that the next card is a volcano, from the number of cards left (11)."""
    above = s.stack_size - BLOCK  # cards above the lowest block
    if s.volcanoes == 0 and 1 <= above <= BLOCK:
        return 1 / above
    if s.volcanoes == 1 and 1 <= s.stack_size <= BLOCK:
        return 1 / s.stack_size
    return 0.0


@njit
def observe_seats(s: np.record, seat: int, out: np.ndarray) -> None:
    """Write the blocks with one value a seat."""
    for other in range(s.players):
        k = relative(s, other, seat)
        score = int(s.score[other])
        lead = s.score[seat] - score
        out[SCORE_AT + k] = min(max(score * PER_SCORE, -1.0), 1.0)
        out[LEAD_AT + k] = min(max(lead * PER_LEAD, -1.0), 1.0)
        out[HAND_SIZE_AT + k] = s.hand_size[other] * PER_HAND
        out[STATUES_AT + k] = s.statues[other]
        out[PERMITS_AT + k] = s.permits[other] * 0.5


@njit
def observe_cards(s: np.record, seat: int, out: np.ndarray) -> None:
    """Write own hand, discards and what is left; `observe_town` takes the town's cards off that."""
    out[UNSEEN_AT : UNSEEN_AT + NUM_CARDS] = 1
    for place in range(s.hand_size[seat]):
        out[HAND_AT + s.hand[seat, place] - 1] = 1
    for other in range(s.players):
        if other == seat or s.phase == OVER_PHASE:
            for place in range(s.hand_size[other]):
                out[UNSEEN_AT + s.hand[other, place] - 1] = 0
    if s.discards != 0:
        for card in range(NUM_CARDS):
            if s.discards >> card & 1 == 1:
                out[DISCARDS_AT + card] = 1
                out[UNSEEN_AT + card] = 0


@njit
def observe_town(s: np.record, out: np.ndarray) -> None:
    """Write the outline of the town and the planes of its window."""
    numbers = NUMBERS[s.values_option]
    out[ORIGIN_AT + s.top] = 1
    out[ORIGIN_AT + NUM_KINDS + s.left] = 1
    out[ORIGIN_AT + 2 * NUM_KINDS + s.bottom - MIDDLE] = 1
    out[ORIGIN_AT + 3 * NUM_KINDS + s.right - MIDDLE] = 1
    for row in range(s.top, s.bottom + 1):
        start = PAD + SIDE * row
        at = WINDOW_AT + SPAN * (row - s.top)
        for cell in range(start + s.left, start + s.right + 1):
            face = s.town[cell]
            if face == STATUE:
                out[at + WINDOW * STATUE_PLANE] = 1
            elif face != NOTHING:
                out[at + WINDOW * BUILDING_OF[face]] = 1
                out[at + WINDOW * (NUM_KINDS + COLOUR_OF[face])] = 1
                out[at + WINDOW * NUMBER_PLANE] = numbers[face] * PER_NUMBER
                out[UNSEEN_AT + face - 1] = 0
            at += 1


@njit
def gain(points: int) -> float:
    """Return points as a gain from 0 to 1 (12)."""
    return min(points, MAX_POINTS) * PER_POINT


@njit
def observe_gains(s: np.record, seat: int, out: np.ndarray) -> None:
    """Write the free cells and, in one pass over them, the best gains by card, statue and cell."""
    numbers = NUMBERS[s.values_option]
    chosen = s.card if s.to_act == seat else NOTHING
    any_card = chosen == NOTHING
    has_statue = s.statues[seat] > 0
    best_statue = 0
    first_row, end_row = free_rows(s)
    first_column, end_column = free_columns(s)
    for row in range(first_row, end_row):
        for at in range(SIDE * row + first_column, SIDE * row + end_column):
            cell = PAD + at
            if not fits(s, cell, STATUE):
                continue
            out[FREE_AT + at] = 1
            roads = look(s.town, s.values_option, cell)
            best = 0
            for place in range(s.hand_size[seat]):
                face = s.hand[seat, place]
                if s.near[cell] & SHOWS[face] == 0:
                    points = card_points(roads, face, int(numbers[face]))
                    out[GAIN_CARD_AT + face - 1] = max(out[GAIN_CARD_AT + face - 1], gain(points))
                    if any_card or chosen == face:
                        best = max(best, points)
            if has_statue:
                points = best_declaration(roads, s.near[cell])
                best_statue = max(best_statue, points)
                if chosen == STATUE:
                    best = points
            out[GAIN_CELL_AT + at] = gain(best)
    out[GAIN_STATUE_AT] = gain(best_statue)


@njit
def observe_choice(s: np.record, out: np.ndarray) -> None:
    """Write what the acting seat has chosen, and what its declarations would bring."""
    out[CHOSEN_AT + s.card - 1] = 1
    if s.phase == CELL:
        return
    out[CHOSEN_CELL_AT + s.cell - PAD] = 1
    roads = look(s.town, s.values_option, s.cell)
    buildings, colours = statue_buildings(roads), statue_colours(roads)
    if s.phase == BUILDING:
        best = best_lane(colours, s.near[s.cell] >> NUM_KINDS) + roads[SEVENTHS]
        for building in range(NUM_KINDS):
            if may_declare(s, building) == 1:
                out[GAIN_BUILDING_AT + building] = gain(lane(buildings, building) + best)
        return
    out[CHOSEN_BUILDING_AT + s.building - 1] = 1
    declared = lane(buildings, s.building - 1) + roads[SEVENTHS]
    for colour in range(NUM_KINDS):
        if may_declare(s, NUM_KINDS + colour) == 1:
            out[GAIN_COLOUR_AT + colour] = gain(declared + lane(colours, colour))


# Sampling what a seat cannot know (11)


@njit
def determinize(s: np.record, seat: int, seed: int) -> None:
    """Deal anew, uniformly, all that `seat` cannot know (11); the generator restarts from `seed`.

    Hidden are the stack's order and, while the game runs, the other hands and an open choice. Every
    deal is equally likely in which the acting seat can do what it is seen to do.
    """
    s.rng = seed
    hidden = np.empty(NUM_CARDS, np.int16)
    count = collect_hidden(s, seat, hidden)
    shuffle(s, hidden, count)
    if s.phase != OVER_PHASE:
        able = s.to_act != seat and must_be_able(s)
        while able and not deal_hand(s, s.to_act, hidden, count):
            shuffle(s, hidden, count)
        if able:
            count -= s.hand_size[s.to_act]
        for other in range(s.players):
            if other != seat and not (able and other == s.to_act):
                deal_hand(s, other, hidden, count)
                count -= s.hand_size[other]
    fill_stack(s, hidden, count)
    if s.to_act != seat and s.card != NOTHING:
        choose_hidden(s)


@njit
def collect_hidden(s: np.record, seat: int, hidden: np.ndarray) -> int:
    """Fill `hidden` with the cards in the stack and in hands that `seat` does not see, ascending.

    Return their number.
    """
    where = np.zeros(VOLCANO + 1, np.int16)
    for place in range(s.stack_size):
        where[s.stack[place]] = 1
    if s.phase != OVER_PHASE:
        for other in range(s.players):
            for place in range(s.hand_size[other] if other != seat else 0):
                where[s.hand[other, place]] = 1
    count = 0
    for face in range(1, NUM_CARDS + 1):
        if where[face] == 1:
            hidden[count] = face
            count += 1
    return count


@njit
def must_be_able(s: np.record) -> bool:
    """Tell whether the acting seat is known to have a placeable card, for want of a statue (11)."""
    shows = s.phase == PERMIT or s.phase == CELL or (s.phase == PLAY and s.extra == 1)
    return shows and not can_lay_statue(s, s.to_act)


@njit
def deal_hand(s: np.record, seat: int, hidden: np.ndarray, count: int) -> bool:
    """Deal `seat` as many cards as it has from the end of `hidden`[:count].

    Return whether it can place one of them.
    """
    size = s.hand_size[seat]
    s.hand_size[seat] = 0
    for place in range(1, size + 1):
        take_in_hand(s, seat, hidden[count - place])
    return has_placeable_card(s, seat)


@njit
def fill_stack(s: np.record, hidden: np.ndarray, count: int) -> None:
    """Put `hidden`[:count] and the volcanoes that are left into the stack.

    The volcanoes lie in their blocks, or anywhere in a stack that cannot be so built (11).
    """
    size = s.stack_size
    left = size - count
    first, second = -1, -1  # places of the volcanoes
    if left == 2 and s.volcanoes == 0 and size > BLOCK:
        second = draw_below(s, BLOCK)
        first = BLOCK + draw_below(s, min(size - BLOCK, BLOCK))
    elif left == 1 and s.volcanoes == 1:
        second = draw_below(s, min(size, BLOCK))
    elif left > 0:
        first = draw_below(s, size)
        if left == 2:
            second = draw_below(s, size - 1)
            if second >= first:
                second += 1
    for place in range(size):
        if place in (first, second):
            s.stack[place] = VOLCANO
        else:
            count -= 1
            s.stack[place] = hidden[count]


@njit
def choose_hidden(s: np.record) -> None:
    """Draw the acting seat's open choice from those that were legal (11)."""
    if s.phase == CELL:
        choices = np.empty(HAND_SIZE + 1, np.int16)
        count = 0
        for place in range(s.hand_size[s.to_act]):
            if is_placeable(s, s.hand[s.to_act, place]):
                choices[count] = s.hand[s.to_act, place]
                count += 1
        if can_lay_statue(s, s.to_act):
            choices[count] = STATUE
            count += 1
        s.card = choices[draw_below(s, count)]
        return
    cells = np.empty(NUM_CELLS, np.int16)
    count = 0
    first_row, end_row = free_rows(s)
    first_column, end_column = free_columns(s)
    for row in range(first_row, end_row):
        start = PAD + SIDE * row
        for cell in range(start + first_column, start + end_column):
            if fits(s, cell, STATUE):
                cells[count] = cell
                count += 1
    s.cell = cells[draw_below(s, count)]
    if s.phase == COLOUR:
        left = draw_below(s, num_buildings(s))
        building = -1
        while left >= 0:
            building += 1
            left -= may_declare(s, building)
        s.building = building + 1


@njit
def num_buildings(s: np.record) -> int:
    """Return how many buildings may be declared for the statue."""
    count = 0
    for building in range(NUM_KINDS):
        count += may_declare(s, building)
    return count
