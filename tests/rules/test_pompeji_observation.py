"""Pompeji's observation against a plain reading of its table (12), block by block."""

import random
from itertools import product

import pytest

from ..contract_helpers import games, positions
from .observation_helpers import assert_blocks, rule_rows
from .pompeji_documents import BUILDINGS, CARDS, COLOURS, GAME, full_town, observe, position, run
from .pompeji_documents import state_of as load
from .pompeji_model import Town, number

PHASES = ["permit", "play", "cell", "building", "colour", "draw", "over"]
SETUPS = list(product(GAME.players, (1, 2), ("latin", "building")))


def one_hot(index, length):
    return [float(place == index) for place in range(length)]


def clipped(value):
    return max(-1, min(1, value))


def expected_blocks(view, seat):
    """Return every block by name, from the view of `seat` alone."""
    v, players, town = view, view["players"], Town(view)
    values = v["options"]["values"]
    seats = [(seat + k) % players for k in range(players)]
    free = town.free()
    hand = v["hands"][seat]
    mine = v["to_act"] == seat
    card = v["card"] if mine else None
    laid = [item for _, item in v["town"]]
    shown = {*laid, *v["discards"], *(c for cards in v["hands"] for c in cards if c)}
    rows, columns = zip(*town.at, strict=True)
    cell = divmod(v["cell"], 13) if mine and v["cell"] is not None else None

    def by_seat(value):
        return [value(s) for s in seats] + [0] * (4 - players)

    def of_cards(cards):
        return [name in cards for name in CARDS]

    def frame(value):
        return [value(place) for place in product(range(13), range(13))]

    def gain(points):
        return min(points, 100) / 100

    def best(places, name):
        return gain(max((town.points(place, name) for place in places), default=0))

    def chance():
        length, out = len(v["stack"]), v["volcanoes"]
        if out == 0 and 10 <= length <= 18:
            return 1 / (length - 9)
        return 1 / length if out == 1 and 1 <= length <= 9 else 0

    def cell_gain(place):
        if place not in free:
            return 0
        if card == "S":
            return gain(town.statue_points(place))
        fitting = [c for c in ([card] if card else hand) if town.fits(place, c)]
        return gain(max((town.points(place, c) for c in fitting), default=0))

    def plane(value):
        inside = product(range(min(rows), min(rows) + 7), range(min(columns), min(columns) + 7))
        return [value(town.at.get(place, "..")) for place in inside]

    def declared(letters, of):
        """Return gains of the seven letters; `of` may raise no error for legal ones only."""
        legal = town.declarations(cell)[letters is COLOURS]
        return [gain(of(letter)) if letter in legal else 0 for letter in letters]

    statues = [(place, town.statue_points(place)) for place in free] if v["statues"][seat] else []
    return {
        "players": one_hot(players - 2, 3),
        "option_permits": one_hot(v["options"]["permits"] - 1, 2),
        "option_values": one_hot(["latin", "building"].index(values), 2),
        "phase": one_hot(PHASES.index(v["phase"]), 7),
        "to_act": by_seat(lambda s: s == v["to_act"]),
        "turn": by_seat(lambda s: s == v["turn"]),
        "extra": [v["extra"]],
        "score": by_seat(lambda s: clipped(v["scores"][s] / 600)),
        "lead": by_seat(lambda s: clipped((v["scores"][seat] - v["scores"][s]) / 150)),
        "hand_size": by_seat(lambda s: len(v["hands"][s]) / 3),
        "statues": by_seat(lambda s: v["statues"][s]),
        "permits": by_seat(lambda s: v["permits"][s] / 2),
        "volcanoes": [v["volcanoes"] / 2],
        "stack": [min(1, len(v["stack"]) / 44)],
        "volcano_chance": [chance()],
        "hand": of_cards(hand),
        "discards": of_cards(v["discards"]),
        "unseen": [name not in shown for name in CARDS],
        "chosen": [name == card for name in [*CARDS, "S"]],
        "chosen_cell": frame(lambda place: place == cell),
        "chosen_building": [mine and letter == v["building"] for letter in BUILDINGS],
        "origin": [
            *one_hot(min(rows), 7),
            *one_hot(min(columns), 7),
            *one_hot(max(rows) - 6, 7),
            *one_hot(max(columns) - 6, 7),
        ],
        "window": [
            *(x for letter in BUILDINGS for x in plane(lambda c, i=letter: c[0] == i)),
            *(x for letter in COLOURS for x in plane(lambda c, i=letter: c != "S" and c[1] == i)),
            *plane(lambda c: c == "S"),
            *plane(lambda c: number(c, values) / 7 if c in CARDS else 0),
        ],
        "free": frame(lambda place: place in free),
        "gain_card": [best(town.cells_for(c), c) if c in hand else 0 for c in CARDS],
        "gain_statue": [gain(max((points for _, points in statues), default=0))],
        "gain_cell": frame(cell_gain),
        "gain_building": declared(BUILDINGS, lambda b: town.statue_points(cell, building=b))
        if mine and v["phase"] == "building"
        else [0] * 7,
        "gain_colour": declared(COLOURS, lambda c: town.statue_points(cell, v["building"], c))
        if mine and v["phase"] == "colour"
        else [0] * 7,
    }


@pytest.mark.parametrize(("players", "permits", "values"), SETUPS)
def test_every_block_of_random_games_is_what_the_table_says(players, permits, values):
    for seed in range(games(1, 8)):
        rng = random.Random(seed)
        options = {"permits": permits, "values": values}
        for state in positions(GAME.new(players, options, seed), seed):
            if rng.random() < games(0.4, 1):
                assert_blocks(state, rng.randrange(players), expected_blocks)


@pytest.mark.plain
def test_every_block_of_hand_made_positions_is_what_the_table_says():
    statue = position(
        2, "row 6 from 4: Fr Go . Ab Fw", "Tg Vb|Ao", "Tw", statues=[1, 0], scores=[700, -900]
    )
    full = position(2, full_town(), "|", "", volcanoes=2)
    late = position(3, "6,6 Fr, 6,7 S", "Gb|Go|Fv", "Av Ag Ao", volcanoes=1, permits=[1, 0, 1])
    steps = ["statue", "statue > cell 6,6", "statue > cell 6,6 > building F"]
    for d in (statue, full, late, *(run(statue, actions) for actions in steps)):
        state = load(d)
        for seat in range(state.players):
            assert_blocks(state, seat, expected_blocks)


@pytest.mark.plain
def test_gains_of_a_statue():
    d = position(2, "row 6 from 4: Fr Go . Ab Fw", "Tg Vb|Ao", "Tw", statues=[1, 0])
    seen = observe(load(run(d, "statue > cell 6,6")), 0)
    # F: 3 + 2 + 1 and the best colour, white 2 or red 3
    assert seen["gain_building"][2] == pytest.approx(0.09)
    assert seen["gain_cell"][84] == pytest.approx(0.09)
    assert seen["gain_statue"] == [pytest.approx(0.11)]  # at another cell
    assert observe(load(run(d, "statue > cell 6,6")), 1)["gain_building"] == [0] * 7
    seen = observe(load(run(d, "statue > cell 6,6 > building F")), 0)
    assert seen["gain_colour"][0] == pytest.approx(0.09)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("volcanoes", "length", "chance"),
    [
        (0, 19, 0),
        (0, 18, 1 / 9),
        (0, 10, 1),
        (0, 9, 0),
        (1, 10, 0),
        (1, 9, 1 / 9),
        (1, 1, 1),
        (1, 0, 0),
    ],
)
def test_volcano_chance(volcanoes, length, chance):
    d = position(2, "6,6 Fr", "Ar|Ao", "Vr Vo Vy Vg Vb Vv Vw Tr To Ty Tg Tb Tv Tw Mr Mo My Mg Mb")
    d["discards"] = [name for name in CARDS if name in d["discards"] + d["stack"][length:]]
    d |= {"volcanoes": volcanoes, "stack": d["stack"][:length]}
    assert observe(load(d), 0)["volcano_chance"] == [pytest.approx(chance)]


def test_rules_page_lists_the_actions():
    names = []
    for ids, name, *_ in rule_rows(GAME, 7):
        name = name.strip("`")
        first, _, last = ids.partition("-")
        assert int(first) == len(names)
        if name.endswith(" X"):
            names += [name.replace("X", card) for card in CARDS]
        elif name == "cell R,C":
            names += [f"cell {row},{column}" for row in range(13) for column in range(13)]
        elif name in ("building B", "colour C"):
            letters = BUILDINGS if name == "building B" else COLOURS
            names += [f"{name[:-2]} {letter}" for letter in letters]
        else:
            names.append(name)
        assert len(names) == int(last or first) + 1
    assert tuple(names) == GAME.action_names
