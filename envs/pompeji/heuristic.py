"""The scripted player of Pompeji (section 14 of docs/rules/pompeji.md), from its view alone."""

import numpy as np

from ..compiled import njit
from .rules import (
    BLOCK,
    BUILDING,
    CELL,
    COLOUR,
    DECLARE_BUILDING,
    DECLARE_COLOUR,
    DISCARD,
    DRAW,
    DRAW_CARD,
    LAY_AT,
    NO_DRAW,
    PASS,
    PERMIT,
    PLAY_STATUE,
    USE_PERMIT,
)
from .town import (
    NOTHING,
    NUM_KINDS,
    NUMBERS,
    PAD,
    SHOWS,
    SIDE,
    STATUE,
    best_declaration,
    card_points,
    fits,
    free_columns,
    free_rows,
    lane,
    look,
    statue_buildings,
    statue_colours,
)

PERMIT_WORTH, LATE_PERMIT_WORTH = 26, 12  # points that an extra turn must bring
STATUE_WORTH, LATE_STATUE_WORTH = 24, 10  # points that a statue must bring
NONE = -1  # less than any points: nothing can be laid


@njit
def heuristic(s: np.record) -> int:
    """Return the scripted player's action id for the acting seat, which leaves `s` as it was."""
    if s.phase == DRAW:
        return NO_DRAW if is_danger(s) and s.hand_size[s.to_act] > 1 else DRAW_CARD
    if s.phase == CELL:
        _, _, cell = best_of(s, s.card)
        return LAY_AT + cell - PAD
    if s.phase == BUILDING:
        roads = look(s.town, s.values_option, s.cell)
        return DECLARE_BUILDING + best_kind(statue_buildings(roads), s.near[s.cell])
    if s.phase == COLOUR:
        roads = look(s.town, s.values_option, s.cell)
        return DECLARE_COLOUR + best_kind(statue_colours(roads), s.near[s.cell] >> NUM_KINDS)
    card, worth, _ = best_of(s, NOTHING)
    statue = NONE
    if s.statues[s.to_act] > 0:
        _, statue, _ = best_of(s, STATUE)
    late = s.volcanoes > 0
    if s.phase == PERMIT:
        needed = LATE_PERMIT_WORTH if late else PERMIT_WORTH
        return USE_PERMIT if max(worth, statue) >= needed else PASS
    needed = LATE_STATUE_WORTH if late else STATUE_WORTH
    if statue > NONE and (worth == NONE or (statue > worth and statue >= needed)):
        return PLAY_STATUE
    return card - 1 if worth > NONE else DISCARD + highest_card(s) - 1


@njit
def is_danger(s: np.record) -> bool:
    """Tell whether the game may end with the next card."""
    return s.volcanoes > 0 and s.stack_size <= BLOCK


@njit
def best_of(s: np.record, only: int) -> tuple[int, int, int]:
    """Return the hand card that brings most, what it brings, and on which cell.

    `only`, unless NOTHING, is the one card or statue to consider. In danger a card counts its own
    number too, a minus point if it stays in the hand. Where nothing fits the points are NONE.
    """
    numbers = NUMBERS[s.values_option]
    best_face, best, best_cell = NOTHING, NONE, 0
    danger = is_danger(s)
    first_row, end_row = free_rows(s)
    first_column, end_column = free_columns(s)
    for row in range(first_row, end_row):
        start = PAD + SIDE * row
        for cell in range(start + first_column, start + end_column):
            if not fits(s, cell, STATUE):
                continue
            roads = look(s.town, s.values_option, cell)
            if only == STATUE:
                points = best_declaration(roads, s.near[cell])
                if points > best:
                    best_face, best, best_cell = STATUE, points, cell
                continue
            for place in range(s.hand_size[s.to_act]):
                face = int(s.hand[s.to_act, place])
                if (only != NOTHING and face != only) or s.near[cell] & SHOWS[face] != 0:
                    continue
                points = card_points(roads, face, numbers[face])
                if danger:
                    points += numbers[face]
                if points > best:
                    best_face, best, best_cell = face, points, cell
    return best_face, best, best_cell


@njit
def best_kind(lanes: int, shown: int) -> int:
    """Return the index of the largest of seven numbers whose bit in `shown` is not set."""
    best, most = -1, -1
    for kind in range(NUM_KINDS):
        if shown >> kind & 1 == 0 and lane(lanes, kind) > most:
            best, most = kind, lane(lanes, kind)
    return best


@njit
def highest_card(s: np.record) -> int:
    """Return the acting seat's hand card with the highest number."""
    numbers = NUMBERS[s.values_option]
    best = s.hand[s.to_act, 0]
    for place in range(1, s.hand_size[s.to_act]):
        face = s.hand[s.to_act, place]
        if numbers[face] > numbers[best]:
            best = face
    return int(best)
