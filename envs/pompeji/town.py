"""The town of Pompeji: where cards fit (6 of docs/rules/pompeji.md) and what they score (9).

A face is what lies in the town, in a hand or in the stack: 0 nothing, 1-49 a building card (its
number + 1), STATUE, VOLCANO.
"""

import numpy as np

from ..compiled import njit

# Sizes and names (1, 2)
NUM_KINDS = 7  # buildings, colours, and the town's rows and columns at most
BUILDINGS, COLOURS = "ABFGMTV", "roygbvw"
NUM_CARDS = NUM_KINDS * NUM_KINDS
NOTHING, STATUE, VOLCANO = 0, NUM_CARDS + 1, NUM_CARDS + 2
CARD_NAMES = tuple(building + colour for building in BUILDINGS for colour in COLOURS)
SPAN = SEVENTH = 7  # rows and columns of the town at most; points for completing a road
STATUE_NUMBER = 1

# Cells (5). A row is as wide as the frame, so a step over its end leads to the other end of the
# next row. That is no cell of the town and no free one, for the town spans seven columns and has
# the middle one: with column 12 it has no column below 6. Above and below are PAD empty cells.
SIDE, MIDDLE = 13, 6
NUM_CELLS = SIDE * SIDE
PAD = SIDE + 1
BOARD = NUM_CELLS + 2 * PAD
ROW, COLUMN, FALLING, RISING = 1, SIDE, SIDE + 1, SIDE - 1  # a step along each road

# What lies beside a cell, as bits: buildings, colours above them, whether anything does; and
# whether the cell itself is taken
BESIDE, TAKEN = 1 << 2 * NUM_KINDS, 2 << 2 * NUM_KINDS

# Seven small values in one int, a lane of eight bits for each building or colour (9)
LANE, LANE_MASK = 8, 255

# By face, some by option `values` too. A statue shows, adds and marks nothing.
_CARDS = [divmod(card, NUM_KINDS) for card in range(NUM_CARDS)]
_NUMBERS = [[(b + c) % NUM_KINDS + 1 for b, c in _CARDS], [b + 1 for b, _ in _CARDS]]
BUILDING_OF = np.array([0, *(b for b, _ in _CARDS), 0, 0])
COLOUR_OF = np.array([0, *(c for _, c in _CARDS), 0, 0])
NUMBERS = np.array([[0, *numbers, STATUE_NUMBER, 0] for numbers in _NUMBERS])
SHOWS = np.array([0, *(1 << b | 1 << NUM_KINDS + c for b, c in _CARDS), 0, 0])
# For `look`: in the lane of the building a 1 and the number, in that of the colour bit `number`
PRESENT = np.array([0, *(1 << LANE * b for b, _ in _CARDS), 0, 0])
ADDS = np.array([[0, *(n << LANE * b for (b, _), n in zip(_CARDS, line, strict=True)), 0, 0]
                 for line in _NUMBERS])  # fmt: skip
MARKS = np.array([[0, *(1 << LANE * c + n for (_, c), n in zip(_CARDS, line, strict=True)), 0, 0]
                  for line in _NUMBERS])  # fmt: skip
HIGHEST = np.array([max(value.bit_length() - 1, 0) for value in range(LANE_MASK + 1)])  # bit set

# The town (6)


@njit
def clear_town(s: np.record) -> None:
    """Make the town empty; every town has the middle row and column."""
    s.town[:] = NOTHING
    s.near[:] = 0
    s.top = s.bottom = s.left = s.right = MIDDLE


@njit
def lay(s: np.record, cell: int, face: int) -> None:
    """Put a card or a statue into the town and tell the four cells beside it."""
    s.town[cell] = face
    s.near[cell] |= TAKEN
    shown = BESIDE | SHOWS[face]
    s.near[cell + ROW] |= shown
    s.near[cell - ROW] |= shown
    s.near[cell + COLUMN] |= shown
    s.near[cell - COLUMN] |= shown
    row, column = divmod(cell - PAD, SIDE)
    s.top, s.bottom = min(s.top, row), max(s.bottom, row)
    s.left, s.right = min(s.left, column), max(s.right, column)


@njit
def free_rows(s: np.record) -> tuple[int, int]:
    """Return the first row that may have free cells and the one after the last (R10)."""
    first, last = max(s.top - 1, s.bottom - SPAN + 1), min(s.bottom + 1, s.top + SPAN - 1)
    return first, last + 1


@njit
def free_columns(s: np.record) -> tuple[int, int]:
    """Return the first column that may have free cells and the one after the last (R10)."""
    first, last = max(s.left - 1, s.right - SPAN + 1), min(s.right + 1, s.left + SPAN - 1)
    return first, last + 1


@njit
def fits(s: np.record, cell: int, face: int) -> bool:
    """Tell whether a card fits this cell of the free rows and columns (6, R9, R11).

    It must be empty and beside the town, and no card beside it may show the card's building or
    colour. A statue shows none, so it fits exactly the free cells.
    """
    return s.near[cell] & (TAKEN | BESIDE | SHOWS[face]) == BESIDE


@njit
def is_free(s: np.record, cell: int) -> bool:
    """Tell whether `cell`, any of the frame, is a free cell (6)."""
    first_row, end_row = free_rows(s)
    first_column, end_column = free_columns(s)
    row, column = divmod(cell - PAD, SIDE)
    inside = first_row <= row < end_row and first_column <= column < end_column
    return inside and fits(s, cell, STATUE)


@njit
def is_placeable(s: np.record, face: int) -> bool:
    """Tell whether a card, or a statue, fits any free cell (6)."""
    first_row, end_row = free_rows(s)
    first_column, end_column = free_columns(s)
    for row in range(first_row, end_row):
        start = PAD + SIDE * row
        for cell in range(start + first_column, start + end_column):
            if fits(s, cell, face):
                return True
    return False


# Scoring (9)

# What `look` tells of the four roads through a cell
SUMS, ROADS_WITH, MARKED, SEVENTHS = 0, 1, 2, 6


@njit
def look(town: np.ndarray, values: int, cell: int) -> tuple[int, int, int, int, int, int, int]:
    """Look along the four roads through an empty cell (9); `values` is the option.

    Return as lanes: by building the sum of its cards' numbers in all roads, and the number of roads
    that have it; for each road, by colour, its numbers as bits. Then 7 for each road that has six
    cards already.
    """
    sums, present, row, seventh = look_along(town, values, cell, ROW)
    more, here, column, full = look_along(town, values, cell, COLUMN)
    sums, present, seventh = sums + more, present + here, seventh + full
    more, here, falling, full = look_along(town, values, cell, FALLING)
    sums, present, seventh = sums + more, present + here, seventh + full
    more, here, rising, full = look_along(town, values, cell, RISING)
    sums, present, seventh = sums + more, present + here, seventh + full
    return sums, present, row, column, falling, rising, seventh


@njit
def look_along(town: np.ndarray, values: int, cell: int, along: int) -> tuple[int, int, int, int]:
    """Look along one road, both ways, up to the first empty cells (9, R8).

    Return as lanes: sums by building, 1 for each building that is there, numbers by colour as bits.
    Then 7 if the new card is the seventh of the road (R7). A statue only counts for that (R15).
    """
    sums, present, marks, length = 0, 0, 0, 1
    for way in (along, -along):
        at = cell + way
        face = town[at]
        while face != NOTHING:
            sums += int(ADDS[values, face])
            present |= int(PRESENT[face])
            marks |= int(MARKS[values, face])
            length += 1
            at += way
            face = town[at]
    return sums, present, marks, SEVENTH if length == SPAN else 0


@njit
def card_points(roads: tuple[int, ...], face: int, number: int) -> int:
    """Return what a card brings at a cell with these roads (9, R3-R7)."""
    building, colour = BUILDING_OF[face], COLOUR_OF[face]
    points = lane(roads[SUMS], building) + number * lane(roads[ROADS_WITH], building)
    for marks in roads[MARKED:SEVENTHS]:
        numbers = lane(marks, colour)
        if numbers > 0:
            points += max(HIGHEST[numbers], number)
    return points + roads[SEVENTHS]


@njit
def statue_buildings(roads: tuple[int, ...]) -> int:
    """Return as lanes what each building brings if it is declared for the statue (R15)."""
    return roads[SUMS] + STATUE_NUMBER * roads[ROADS_WITH]


@njit
def statue_colours(roads: tuple[int, ...]) -> int:
    """Return as lanes what each colour brings: no number is below the statue's (R15)."""
    row, column, falling, rising = roads[MARKED:SEVENTHS]
    anywhere = row | column | falling | rising
    lanes = 0
    for colour in range(NUM_KINDS):
        if lane(anywhere, colour) > 0:
            points = HIGHEST[lane(row, colour)] + HIGHEST[lane(column, colour)]
            points += HIGHEST[lane(falling, colour)] + HIGHEST[lane(rising, colour)]
            lanes |= int(points) << LANE * colour
    return lanes


@njit
def lane(lanes: int, kind: int) -> int:
    """Return one of seven values that share an int."""
    return lanes >> LANE * int(kind) & LANE_MASK


@njit
def best_lane(lanes: int, shown: int) -> int:
    """Return the largest of seven numbers, leaving out those whose bit in `shown` is set."""
    best = 0
    for kind in range(NUM_KINDS):
        if shown >> kind & 1 == 0:
            best = max(best, lane(lanes, kind))
    return best


@njit
def best_declaration(roads: tuple[int, ...], shown: int) -> int:
    """Return the most a statue brings at a cell, `shown` being what lies beside it (`near`)."""
    building = best_lane(statue_buildings(roads), shown)
    return building + best_lane(statue_colours(roads), shown >> NUM_KINDS) + roads[SEVENTHS]
