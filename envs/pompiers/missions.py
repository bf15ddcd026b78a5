"""The missions of Pompiers! and who meets them (2 of docs/rules/pompiers.md).

A set of seats or of tricks is an int with one bit each.
"""

import numpy as np

from ..compiled import njit

MIN_PLAYERS, MAX_PLAYERS = 3, 5
COLOURS = ("R", "B", "Y", "K")
RED, BLUE, YELLOW, BLACK = range(len(COLOURS))
NUM_TRICKS = 10
TRICKS_BELOW = NUM_TRICKS // 2  # room n + 5 lies below room n
NOBODY = -1

# Light green tiles with their points, then what the dark green ones demand
TILES = (
    ("exactly_1", 4),
    ("exactly_2", 3),
    ("exactly_3", 2),
    ("trick_3", 3),
    ("trick_7", 3),
    ("trick_9", 2),
    ("trick_r", 3),
    ("trick_r5", 2),
    ("most_red", 3),
    ("most_blue", 3),
    ("most_yellow", 3),
    ("no_red", 4),
    ("no_yellow", 4),
    ("no_black", 4),
)
TILE_NAMES = tuple(name for name, _ in TILES)
TILE_POINTS = np.array([points for _, points in TILES])
NUM_TILES = len(TILES)
EXACTLY, TRICK, TRICK_R, TRICK_R5, MOST, WITHOUT = 0, 3, 6, 7, 8, 11  # first tile of each kind
TRICK_NUMBER = np.array([0, 0, 0, 3, 7, 9])  # of the `trick_N` tiles
COLOUR_OF_TILE = np.array([NOBODY] * MOST + [RED, BLUE, YELLOW, RED, YELLOW, BLACK])
LAST_TRICK, NO_TRICKS, VERTICAL, IN_A_ROW = range(NUM_TILES, NUM_TILES + 4)

# Basic missions, which are the chips, in the order they are checked (2)
MISSIONS = ("1/6", "2/7", "3/8", "4/9", "5/10")
NUM_MISSIONS = len(MISSIONS)
MISSION_1_6, MISSION_2_7, MISSION_3_8, MISSION_4_9, MISSION_5_10 = range(NUM_MISSIONS)

# By a seat's tricks as bits: how many, the vertical pairs, the longest run (R14, R15)
ROOMS = range(1 << NUM_TRICKS)
NUM_TAKEN = np.array([rooms.bit_count() for rooms in ROOMS])
NUM_PAIRS = np.array([(rooms & rooms >> TRICKS_BELOW).bit_count() for rooms in ROOMS])
LONGEST_RUN = np.array([max(map(len, f"{rooms:b}".split("0"))) for rooms in ROOMS])


@njit
def in_use(tile: int, players: int) -> bool:
    """Tell whether a light green tile is used: with 3 seats not the R tiles (4, R6)."""
    return players > MIN_PLAYERS or (tile != TRICK_R and tile != TRICK_R5)


@njit
def trick_wanted(tile: int, round_number: int) -> int:
    """Return the number of the trick that a `trick_*` tile demands in this round (2, R21)."""
    if tile == TRICK_R:
        return round_number
    if tile == TRICK_R5:
        return round_number + TRICKS_BELOW
    return int(TRICK_NUMBER[tile])


@njit
def merit(condition: int, round_number: int, rooms: int, collected: np.ndarray) -> int:
    """Return how well a seat does in a mission (2); the seats with most, above 0, meet it.

    `rooms` are the seat's tricks as bits, `collected` [4] its cards by colour; `condition` is a
    tile or one of LAST_TRICK, NO_TRICKS, VERTICAL, IN_A_ROW.
    """
    if condition < TRICK:
        return 1 if NUM_TAKEN[rooms] == condition - EXACTLY + 1 else 0
    if condition < MOST:
        return (rooms >> (trick_wanted(condition, round_number) - 1)) & 1
    if condition < WITHOUT:
        return int(collected[COLOUR_OF_TILE[condition]])
    if condition < NUM_TILES:  # (R20)
        return int(NUM_TAKEN[rooms]) if collected[COLOUR_OF_TILE[condition]] == 0 else 0
    if condition == LAST_TRICK:
        return (rooms >> (NUM_TRICKS - 1)) & 1
    if condition == NO_TRICKS:
        return 1 if rooms == 0 else 0
    if condition == VERTICAL:  # (R14)
        return int(NUM_PAIRS[rooms])
    return int(LONGEST_RUN[rooms]) if LONGEST_RUN[rooms] >= 2 else 0  # (R15)


@njit
def who_meets(
    condition: int, round_number: int, players: int, rooms: np.ndarray, collected: np.ndarray
) -> int:
    """Return the seats, as bits, that meet a mission with these tricks and cards (2)."""
    met, most = 0, 1
    for seat in range(players):
        value = merit(condition, round_number, rooms[seat], collected[seat])
        if value > most:
            met, most = 0, value
        if value == most:
            met |= 1 << seat
    return met


@njit
def condition_of(mission: int, slot_tile: int) -> int:
    """Return what a basic mission demands (2); 3/8 what the slot tile does (R9)."""
    if mission == MISSION_1_6:
        return LAST_TRICK
    if mission == MISSION_2_7:
        return NO_TRICKS
    if mission == MISSION_3_8:
        return slot_tile
    return VERTICAL if mission == MISSION_4_9 else IN_A_ROW


@njit
def only_seat(seats: int) -> int:
    """Return the seat in a set of exactly one, else NOBODY."""
    for seat in range(MAX_PLAYERS):
        if seats == 1 << seat:
            return seat
    return NOBODY
