"""Hand-made Pompeji documents and short names for what tests ask of them."""

from itertools import chain

from emberdeck.envs import GAMES

GAME = GAMES["pompeji"]
BUILDINGS, COLOURS = "ABFGMTV", "roygbvw"
CARDS = [building + colour for building in BUILDINGS for colour in COLOURS]
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


def in_order(cards):
    return sorted(cards, key=CARDS.index)


def cells(text):
    """Return (row, column, item) from `6,6 Fr, 6,7 Gb` or from `row 6 from 4: Fr Go . Ab`."""
    if text.startswith("row"):
        head, items = text.split(":")
        _, row, _, column = head.split()
        return [
            (int(row), int(column) + i, item) for i, item in enumerate(items.split()) if item != "."
        ]
    words = text.replace(", ", " ").split()
    places = [tuple(map(int, place.split(","))) for place in words[::2]]
    return [(row, column, item) for (row, column), item in zip(places, words[1::2], strict=True)]


def position(
    players,
    town,
    hands,
    stack,
    *,
    phase="play",
    turn=0,
    act=None,
    extra=False,
    scores=None,
    statues=None,
    permits=None,
    volcanoes=0,
    option_permits=1,
    values="latin",
    card=None,
    cell=None,
    building=None,
):
    """Build a complete, consistent document from what matters in it.

    `town` is one string or several (see `cells`), `hands` one string with `|` between seats,
    `stack` the cards, next one last. Cards that are not mentioned lie in the discards.
    """
    laid = [item for text in ([town] if isinstance(town, str) else town) for item in cells(text)]
    hands = [in_order(hand.split()) for hand in hands.split("|")]
    assert len(hands) == players
    used = {*chain(*hands), *stack.split(), *(item for *_, item in laid)}
    zeros = [0] * players
    over = volcanoes == 2
    return {
        "game": "pompeji",
        "players": players,
        "options": {"permits": option_permits, "values": values},
        "to_act": None if over else turn if act is None else act,
        "phase": "over" if over else phase,
        "over": over,
        "scores": scores or zeros,
        "turn": turn,
        "extra": extra,
        "card": card,
        "cell": cell,
        "building": building,
        "hands": hands,
        "stack": stack.split(),
        "volcanoes": volcanoes,
        "discards": [name for name in CARDS if name not in used],
        "town": sorted([13 * row + column, item] for row, column, item in laid),
        "statues": statues or zeros,
        "permits": permits or zeros,
    }


def full_town(*changes):
    """Return a town of all 49 cards as text, `changes` being `row,column item` (`.` = empty)."""
    town = {
        (3 + i, 4 + j): BUILDINGS[(2 * i + j) % 7] + COLOURS[(i + 3 * j) % 7]
        for i in range(7)
        for j in range(7)
    }
    for row, column, item in (cells(change)[0] for change in changes):
        town[row, column] = item
    laid = [f"{row},{column} {item}" for (row, column), item in town.items() if item != "."]
    return ", ".join(laid)


def legal(document):
    """Return the names of the legal actions, in the order of their ids."""
    return [GAME.action_names[action] for action in GAME.from_dict(document).legal_actions()]


def legal_cells(document):
    """Return the legal cells as `row,column` with blanks between them."""
    return " ".join(name.removeprefix("cell ") for name in legal(document))


def run(document, actions):
    """Return the document after these actions, `>` between them."""
    state = GAME.from_dict(document)
    for name in actions.split(">"):
        state.apply(GAME.action_id(name.strip()))
    return state.to_dict()


def state_of(document):
    return GAME.from_dict(document)


def observe(state, seat):
    """Return the observation of `seat` as lists by block name."""
    values = state.observation(seat).tolist()
    return {
        block.name: values[block.offset : block.offset + block.length]
        for block in GAME.observation_blocks
    }
