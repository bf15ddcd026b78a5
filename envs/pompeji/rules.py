"""Pompeji: a town that grows card by card until the second volcano; every laid card scores.

Section and ruling numbers are those of docs/rules/pompeji.md. Cards are faces, as in `town`.
"""

import numpy as np

from ..compiled import njit
from ..rng import draw_below, shuffle
from .town import (
    BOARD,
    BUILDINGS,
    CARD_NAMES,
    COLOURS,
    MIDDLE,
    NOTHING,
    NUM_CARDS,
    NUM_CELLS,
    NUM_KINDS,
    NUMBERS,
    PAD,
    SEVENTHS,
    SIDE,
    STATUE,
    VOLCANO,
    card_points,
    clear_town,
    fits,
    free_columns,
    free_rows,
    is_placeable,
    lane,
    lay,
    look,
    statue_buildings,
    statue_colours,
)

# Sizes and constants (1-4)
MAX_PLAYERS, HAND_SIZE = 4, 3
MAX_STACK = NUM_CARDS  # all cards, or two volcanoes while each seat holds a card
BLOCK = 9  # a volcano among eight building cards; the lowest block holds the second one
SCORE_SCALE = 60.0  # (9)

# Phases and `to_act` after the end
PHASES = ("permit", "play", "cell", "building", "colour", "draw", "over")
PERMIT, PLAY, CELL, BUILDING, COLOUR, DRAW, OVER_PHASE = range(len(PHASES))
OVER = -1

# Actions (7)
PLAY_CARD, PLAY_STATUE = 0, NUM_CARDS
DISCARD = PLAY_STATUE + 1
LAY_AT = DISCARD + NUM_CARDS
DECLARE_BUILDING = LAY_AT + NUM_CELLS
DECLARE_COLOUR = DECLARE_BUILDING + NUM_KINDS
DRAW_CARD = DECLARE_COLOUR + NUM_KINDS
NO_DRAW, USE_PERMIT, PASS = range(DRAW_CARD + 1, DRAW_CARD + 4)
ACTION_NAMES = (
    *(f"play {name}" for name in CARD_NAMES),
    "statue",
    *(f"discard {name}" for name in CARD_NAMES),
    *(f"cell {row},{column}" for row in range(SIDE) for column in range(SIDE)),
    *(f"building {letter}" for letter in BUILDINGS),
    *(f"colour {letter}" for letter in COLOURS),
    "draw",
    "no draw",
    "permit",
    "pass",
)
# What the others only see once the card or the statue lies there (11). A cell is no secret: nobody
# else decides between a statue's cell and its declaration.
SECRET_ACTIONS = frozenset(
    {*range(DISCARD), *range(DECLARE_BUILDING, DECLARE_BUILDING + NUM_KINDS)}
)

STATE = np.dtype(
    [
        ("rng", np.uint64),  # the game's own generator; nothing is random after `init` (4)
        ("discards", np.int64),  # bit i: the card with number i was discarded
        ("near", np.int32, BOARD),  # what is shown to each cell: SHOWS, BESIDE, TAKEN
        ("players", np.int16),
        ("permits_option", np.int16),  # 1 or 2
        ("values_option", np.int16),  # LATIN or BY_BUILDING
        ("to_act", np.int16),  # acting seat, or OVER
        ("phase", np.int16),  # index in PHASES
        ("turn", np.int16),  # whose normal turn it is, or comes next
        ("extra", np.int16),  # 1 = an extra turn is being played
        ("card", np.int16),  # face chosen and not yet laid
        ("cell", np.int16),  # cell chosen for the statue, counted from PAD; 0 = none
        ("building", np.int16),  # building declared for the statue + 1; 0 = none
        ("volcanoes", np.int16),  # uncovered so far
        ("score", np.int16, MAX_PLAYERS),
        ("statues", np.int16, MAX_PLAYERS),
        ("permits", np.int16, MAX_PLAYERS),
        ("hand", np.int16, (MAX_PLAYERS, HAND_SIZE)),  # faces, ascending
        ("hand_size", np.int16, MAX_PLAYERS),
        ("stack", np.int16, MAX_STACK),  # faces, next card last
        ("stack_size", np.int16),
        ("town", np.int16, BOARD),  # faces, by cell + PAD
        ("top", np.int16),  # the town's outermost rows and columns
        ("bottom", np.int16),
        ("left", np.int16),
        ("right", np.int16),
    ]
)


@njit
def init(s: np.record, players: int, options: np.ndarray, seed: int) -> None:
    """Set up a game (4): hands, stack, start card, first seat; `options` are (permits, values)."""
    s.rng = seed
    s.players, s.permits_option, s.values_option = players, options[0], options[1]
    deck = np.empty(NUM_CARDS, np.int16)
    for card in range(NUM_CARDS):
        deck[card] = card + 1
    shuffle(s, deck, NUM_CARDS)
    dealt = 0
    for seat in range(players):
        s.statues[seat], s.permits[seat] = 1, s.permits_option
        for _ in range(HAND_SIZE):
            take_in_hand(s, seat, deck[dealt])
            dealt += 1
    for block in (s.stack[:BLOCK], s.stack[BLOCK : 2 * BLOCK]):  # the lower one first
        block[: BLOCK - 1] = deck[dealt : dealt + BLOCK - 1]
        block[BLOCK - 1] = VOLCANO
        dealt += BLOCK - 1
        shuffle(s, block, BLOCK)
    s.stack_size = 2 * BLOCK + NUM_CARDS - 1 - dealt
    s.stack[2 * BLOCK : s.stack_size] = deck[dealt : NUM_CARDS - 1]
    clear_town(s)
    lay(s, PAD + SIDE * MIDDLE + MIDDLE, deck[NUM_CARDS - 1])
    s.turn = draw_below(s, players)
    open_window(s)


@njit
def take_in_hand(s: np.record, seat: int, face: int) -> None:
    """Insert a card into the ascending hand of `seat`."""
    place = s.hand_size[seat]
    while place > 0 and s.hand[seat, place - 1] > face:
        s.hand[seat, place] = s.hand[seat, place - 1]
        place -= 1
    s.hand[seat, place] = face
    s.hand_size[seat] += 1


@njit
def take_from_hand(s: np.record, seat: int, face: int) -> None:
    """Remove a card that is there from the hand of `seat`."""
    last = s.hand_size[seat] - 1
    place = 0
    while s.hand[seat, place] != face:
        place += 1
    for following in range(place, last):
        s.hand[seat, following] = s.hand[seat, following + 1]
    s.hand[seat, last] = NOTHING
    s.hand_size[seat] = last


# Legal actions (6, 7)


@njit
def has_placeable_card(s: np.record, seat: int) -> bool:
    """Tell whether any hand card of `seat` is placeable (6)."""
    for place in range(s.hand_size[seat]):  # noqa: SIM110 (Numba compiles no generators)
        if is_placeable(s, s.hand[seat, place]):
            return True
    return False


@njit
def can_lay_statue(s: np.record, seat: int) -> bool:
    """Tell whether `seat` has a statue and there is a free cell (6)."""
    return s.statues[seat] > 0 and is_placeable(s, STATUE)


@njit
def is_able(s: np.record, seat: int) -> bool:
    """Tell whether `seat` could play an extra turn (6, R23)."""
    return can_lay_statue(s, seat) or has_placeable_card(s, seat)


@njit
def legal(s: np.record, mask: np.ndarray) -> None:
    """Fill `mask` int8[286] with the legal actions of the acting seat (6, 7); zeros when over."""
    mask[:] = 0
    if s.phase == PLAY:
        legal_plays(s, mask)
    elif s.phase == CELL:
        legal_cells(s, mask)
    elif s.phase == BUILDING:
        for building in range(NUM_KINDS):
            mask[DECLARE_BUILDING + building] = may_declare(s, building)
    elif s.phase == COLOUR:
        for colour in range(NUM_KINDS):
            mask[DECLARE_COLOUR + colour] = may_declare(s, NUM_KINDS + colour)
    elif s.phase == DRAW:
        mask[DRAW_CARD] = 1
        mask[NO_DRAW] = 1
    elif s.phase == PERMIT:
        mask[USE_PERMIT] = 1
        mask[PASS] = 1


@njit
def legal_plays(s: np.record, mask: np.ndarray) -> None:
    """Mark placeable cards and the statue, or in a normal turn without any card, discards (R17)."""
    seat = s.to_act
    found = False
    for place in range(s.hand_size[seat]):
        face = s.hand[seat, place]
        if is_placeable(s, face):
            mask[face - 1] = 1
            found = True
    if can_lay_statue(s, seat):
        mask[PLAY_STATUE] = 1
    if not found and s.extra == 0:
        for place in range(s.hand_size[seat]):
            mask[DISCARD + s.hand[seat, place] - 1] = 1


@njit
def legal_cells(s: np.record, mask: np.ndarray) -> None:
    """Mark every free cell that the chosen card or the statue fits."""
    first_row, end_row = free_rows(s)
    first_column, end_column = free_columns(s)
    for row in range(first_row, end_row):
        for cell in range(SIDE * row + first_column, SIDE * row + end_column):
            mask[LAY_AT + cell] = fits(s, PAD + cell, s.card)


@njit
def may_declare(s: np.record, kind: int) -> int:
    """Return 1 if no card beside the statue's cell shows `kind`: a building, or 7 + a colour."""
    return 1 - (s.near[s.cell] >> kind & 1)


# Transitions (8)


@njit
def step(s: np.record, action: int) -> None:
    """Apply a legal action, up to the next decision or the end of the game (8)."""
    if s.phase == PLAY:
        if action <= PLAY_STATUE:
            s.card = action + 1  # STATUE follows the last card
            s.phase = CELL
        else:
            discard(s, action - DISCARD + 1)
    elif s.phase == CELL:
        if s.card == STATUE:
            s.cell = action - LAY_AT + PAD
            s.phase = BUILDING
        else:
            lay_card(s, action - LAY_AT + PAD)
    elif s.phase == BUILDING:
        s.building = action - DECLARE_BUILDING + 1
        s.phase = COLOUR
    elif s.phase == COLOUR:
        lay_statue(s, action - DECLARE_COLOUR)
    elif s.phase == DRAW:
        if action == DRAW_CARD:
            draw(s)
        else:
            end_turn(s)
    elif action == USE_PERMIT:
        s.permits[s.to_act] -= 1
        s.extra = 1
        s.phase = PLAY
    else:
        ask_next(s)


@njit
def lay_card(s: np.record, cell: int) -> None:
    """Score the chosen card, lay it, then draw (8)."""
    seat, face = s.to_act, s.card
    number = int(NUMBERS[s.values_option, face])
    s.score[seat] += card_points(look(s.town, s.values_option, cell), face, number)
    lay(s, cell, face)
    take_from_hand(s, seat, face)
    s.card = NOTHING
    draw_step(s)


@njit
def lay_statue(s: np.record, colour: int) -> None:
    """Score the statue as declared, lay it neutral and end the turn (8, R12-R16)."""
    roads = look(s.town, s.values_option, s.cell)
    building = s.building - 1
    points = lane(statue_buildings(roads), building) + lane(statue_colours(roads), colour)
    s.score[s.to_act] += points + roads[SEVENTHS]
    lay(s, s.cell, STATUE)
    s.statues[s.to_act] -= 1
    s.card, s.cell, s.building = NOTHING, 0, 0
    end_turn(s)


@njit
def discard(s: np.record, face: int) -> None:
    """Discard a card face up, then draw (8, R18)."""
    take_from_hand(s, s.to_act, face)
    s.discards |= 1 << (face - 1)
    draw_step(s)


@njit
def draw_step(s: np.record) -> None:
    """Draw a card, or from the first volcano on ask a seat that still has cards (8, R25-R27)."""
    while s.volcanoes == 0 or s.hand_size[s.to_act] == 0:
        if draw(s):
            return
    s.phase = DRAW


@njit
def draw(s: np.record) -> bool:
    """Draw a card and end the turn, or the game at the second volcano (8).

    Return False for the first volcano: it is set aside and the turn goes on.
    """
    face = VOLCANO  # of an empty stack
    if s.stack_size > 0:
        s.stack_size -= 1
        face = s.stack[s.stack_size]
        s.stack[s.stack_size] = NOTHING
    if face != VOLCANO:
        take_in_hand(s, s.to_act, face)
        end_turn(s)
        return True
    s.volcanoes += 1
    if s.volcanoes == 1:
        return False
    end_game(s)
    return True


@njit
def end_turn(s: np.record) -> None:
    """Let the waiting seat go on after an extra turn, else open the next window (8, R22)."""
    if s.extra == 1:
        s.extra = 0
        start_turn(s)
    else:
        s.turn = following(s, s.turn, 1)
        open_window(s)


@njit
def following(s: np.record, seat: int, places: int) -> int:
    """Return the seat that sits so many places (0 to P) clockwise of `seat`."""
    other = seat + places
    return other - s.players if other >= s.players else other


@njit
def start_turn(s: np.record) -> None:
    """Let seat `turn` play its normal turn."""
    s.to_act = s.turn
    s.phase = PLAY


@njit
def open_window(s: np.record) -> None:
    """Ask for permits before the turn of seat `turn`: first the seat that had the last one (6)."""
    if not asks(s, following(s, s.turn, s.players - 1)):
        ask_from(s, 1)


@njit
def ask_next(s: np.record) -> None:
    """Ask the seat after the acting one in the window's order (6, R21)."""
    places = s.to_act - s.turn if s.to_act > s.turn else s.to_act - s.turn + s.players
    ask_from(s, 1 if places == s.players - 1 else places + 1)


@njit
def ask_from(s: np.record, places: int) -> None:
    """Ask the seats from `places` clockwise of `turn` on; after the last one its turn starts."""
    while places < s.players - 1:
        if asks(s, following(s, s.turn, places)):
            return
        places += 1
    start_turn(s)


@njit
def asks(s: np.record, seat: int) -> bool:
    """Ask `seat` for a permit if it has one and is able; tell whether it is asked (6)."""
    if s.permits[seat] == 0 or not is_able(s, seat):
        return False
    s.to_act = seat
    s.phase = PERMIT
    return True


@njit
def end_game(s: np.record) -> None:
    """End the game; the numbers of the cards in hand are minus points (8, R28, R29)."""
    for seat in range(s.players):
        for place in range(s.hand_size[seat]):
            s.score[seat] -= NUMBERS[s.values_option, s.hand[seat, place]]
    s.phase = OVER_PHASE
    s.to_act = OVER


@njit
def outcome(s: np.record, scores: np.ndarray, places: np.ndarray) -> None:
    """Fill the live `scores` and the `places` (number of seats ahead; 9, R30).

    Both int64[>= players]. Places mean something at the end only; every seat at place 0 wins.
    """
    for seat in range(s.players):
        scores[seat] = s.score[seat]
        places[seat] = 0
        for other in range(s.players):
            if s.score[other] > s.score[seat]:
                places[seat] += 1
