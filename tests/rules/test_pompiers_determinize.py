"""Pompiers!: every hidden deal that fits what a seat has seen is equally likely (11)."""

from collections import Counter
from itertools import combinations, permutations, product

import pytest
from scipy.stats import chisquare

from emberdeck.envs.pompiers import sampling

from ..contract_helpers import canonical, games, positions
from .pompiers_documents import CARDS, COLOURS, GAME, after, base, deck
from .pompiers_model import in_order, voids_of


def assert_uniform(state, seat, deals, a_deal=lambda document: document, each=10):
    """Check that all `deals` (a set) come up in samples, equally often, and no others do."""
    size = len(deals) * games(each, 4 * each)
    counts = Counter(a_deal(state.determinize(seat, seed).to_dict()) for seed in range(size))
    assert set(counts) <= deals
    assert a_deal(state.to_dict()) in deals
    observed = [*counts.values()] + [0] * (len(deals) - len(counts))
    assert chisquare(observed).pvalue > 0.001


def hands_of(document):
    return tuple(tuple(hand) for hand in document["hands"])


def fitting_deals(document, seat):
    """Return every deal of the unseen cards to the other hands that fits the play, as a set."""
    players = document["players"]
    seen = {*document["hands"][seat], *document["trick"], document["trump_card"]}
    seen |= {document["placed"][seat]}
    seen |= {card for trick in document["tricks"] for card in trick["cards"]}
    seen |= set(document["drawn"] if document["chooser"] == seat else [])
    void = voids_of(document)
    deals = [({}, [card for card in deck(players) if card not in seen])]
    for other in range(players):
        if other != seat:
            deals = [
                (hands | {other: hand}, [card for card in rest if card not in hand])
                for hands, rest in deals
                for hand in combinations(rest, len(document["hands"][other]))
                if not any(card[0] in void[other] for card in hand)
            ]
    mine = {seat: tuple(document["hands"][seat])}
    return {tuple((hands | mine)[other] for other in range(players)) for hands, _ in deals}


@pytest.mark.parametrize(
    ("name", "line", "upto"),
    [("F4", "A", 35), ("F4", "C", 37), ("F4", "E", 36), ("F5", "D", 47), ("F5", "G", 46)],
)
def test_hands_are_uniform_over_all_that_fit_the_colours_not_followed(name, line, upto):
    # The rest, more cards than all hands hold, lies in the pile in any order.
    state = after(base(name), line, upto)
    numbers, most = {}, games(1000, 4000)
    for seat in range(state.players):
        deals = fitting_deals(state.to_dict(), seat)
        numbers[seat] = len(deals)
        if len(deals) < most:
            assert_uniform(state, seat, deals, hands_of, 5)
    assert 1 < min(numbers.values()) < most


def test_hands_with_eleven_cards_are_uniform():
    state = after(base("F3"), "F", 22)
    for seat in range(3):
        deals = fitting_deals(state.to_dict(), seat)
        assert 1 < len(deals) < 6000
        assert_uniform(state, seat, deals, hands_of, 5)


def test_colours_not_followed_matter():
    # Otherwise the tests above would prove less than they seem to.
    document = after(base("F4"), "A", 34).to_dict()
    assert [bool(colours) for colours in voids_of(document)] == [True, False, True, False]
    free = document | {"tricks": [], "trick": []}
    seen = [card for trick in document["tricks"] for card in trick["cards"]] + document["trick"]
    free["drawn"], free["chooser"] = seen, 1  # for the count: as if seat 1 knew all these cards
    assert len(fitting_deals(document, 1)) < len(fitting_deals(free, 1))


def crowded():
    """Return a state in which four seats compete for cards, in a record set by hand."""
    state = after(base("F5"), "D", 15)
    state.array["void"][0, :5] = [0b0100, 0b0001, 0, 0b0100, 0b1000]
    return state


def test_four_seats_that_compete_for_cards():
    # Where trying takes too long all ways are counted.
    state = crowded()
    void = [2, 0, None, 2, 3]  # the colour that each seat did not follow
    for seed in range(games(5, 200)):
        hands = state.determinize(2, seed).to_dict()["hands"]
        assert [len(hand) for hand in hands] == [7] * 5
        assert len({card for hand in hands for card in hand}) == 35
        for seat in (0, 1, 3, 4):
            assert not any(card[0] == COLOURS[void[seat]] for card in hands[seat])


@pytest.mark.plain
@pytest.mark.parametrize(("name", "line", "upto"), [("F5", "D", 47), ("F5", "G", 47)])
def test_counting_all_ways_is_uniform_too(name, line, upto, monkeypatch):
    # In compiled code the number of tries is fixed: there this repeats an earlier test.
    monkeypatch.setattr(sampling, "MAX_TRIES", 0)
    state = after(base(name), line, upto)
    numbers = {seat: fitting_deals(state.to_dict(), seat) for seat in range(5)}
    seat = min(numbers, key=lambda seat: len(numbers[seat]))
    assert 1 < len(numbers[seat]) < 1000
    assert_uniform(state, seat, numbers[seat], hands_of, 5)


@pytest.mark.plain
@pytest.mark.parametrize("tries", [sampling.MAX_TRIES, 0])
def test_three_seats_that_may_hold_two_of_three_cards(tries, monkeypatch):
    # A draw may leave a seat without a card that it can hold: such a try is given up. The record is
    # set by hand: seats 1, 2 and 3 hold R1, K1, Y1 in one of the two ways that fit.
    monkeypatch.setattr(sampling, "MAX_TRIES", tries)
    bits = {card: 1 << index for index, card in enumerate(CARDS)}
    state = after(base("F4"), "A", 36)
    s = state.array
    seen = [card for card in deck(4) if card not in ("R1", "K1", "Y1", "B12", "K12")]
    seen = [card for card in seen if card not in [f"B{rank}" for rank in range(1, 8)]]
    s["hand"][0, :4] = [bits["B12"], bits["R1"], bits["K1"], bits["Y1"]]
    s["played"][0, :4] = [sum(bits[card] for card in seen), 0, 0, 0]
    s["void"][0, :4] = [0, 0b0110, 0b0011, 0b1010]  # R, B, Y, K from the right
    s["pile"][0, :7] = [CARDS.index(f"B{rank}") for rank in range(1, 8)]
    counts = Counter(
        tuple(state.determinize(0, seed).array["hand"][0, 1:4].tolist())
        for seed in range(games(100, 5000))
    )
    assert set(counts) == {
        (bits["R1"], bits["K1"], bits["Y1"]),
        (bits["K1"], bits["Y1"], bits["R1"]),
    }
    assert chisquare(list(counts.values())).pvalue > 0.001


@pytest.mark.parametrize("chooser", [None, 2, 0])
@pytest.mark.parametrize("seat", [0, 1, 2])
def test_placed_cards_and_pile_at_the_end_are_uniform(chooser, seat):
    # Nobody has a card left. Three cards aside, in order, and what was placed, by whom and in which
    # order it lies in the pile.
    do = ["place R1", "place Y3", "place Y2", *["reveal R1"] * (chooser is not None)]
    before = after(base("V3", chooser=chooser), do=do)
    document = before.to_dict()
    trump = document["trump_card"]
    state = before
    seed = 0
    while not state.over:  # the last round: all hands are played
        state.apply(state.legal_actions()[seed % len(state.legal_actions())])
        seed += 1
    document = state.to_dict()
    hidden = [*document["pile"], *document["aside"], trump]
    mine = document["placed"][seat]
    deals = set()
    for cards in permutations(sorted(hidden), 6):
        placed, aside = list(cards[:3]), cards[3:]
        if placed[seat] != mine or trump not in placed:
            continue
        if chooser == seat and sorted(placed) != sorted(document["drawn"]):
            continue
        for pile in permutations([card for card in placed if card != trump]):
            drawn = in_order(placed) if chooser is not None else []
            deals.add((tuple(placed), pile, aside, tuple(drawn)))

    def a_deal(d):
        return tuple(tuple(d[key]) for key in ("placed", "pile", "aside", "drawn"))

    assert_uniform(state, seat, deals, a_deal)


@pytest.mark.parametrize(
    ("chooser", "phase"), [(None, "play"), (1, "trump"), (3, "trump"), (1, "play"), (3, "play")]
)
def test_cards_drawn_from_the_pile_stay_at_its_end(chooser, phase):
    d = base("T4", chooser=chooser, to_act=chooser)
    if chooser is None:
        d |= {"drawn": [], "phase": "play", "to_act": 3, "trump_card": d["pile"].pop()}
    state = after(d, do=["reveal Y5"] if phase == "play" and chooser is not None else [])
    for seat in range(4):
        ends = Counter()
        size = games(300, 6000)
        for seed in range(size):
            document = state.determinize(seat, seed).to_dict()
            if chooser == seat:
                ends[tuple(document["pile"][-3 if phase == "trump" else -2 :])] += 1
            else:
                ends[document["pile"][0]] += 1
                if chooser is not None:
                    assert set(document["drawn"]) <= {
                        *document["pile"][-3:],
                        document["trump_card"],
                    }
        if chooser == seat:
            assert len(ends) == (6 if phase == "trump" else 2)
        else:
            cells = 48 - 10 - (document["trump_card"] is not None)
            observed = [*ends.values()] + [0] * (cells - len(ends))
            assert len(ends) <= cells
            assert chisquare(observed).pvalue > 0.001
            continue
        assert chisquare(list(ends.values())).pvalue > 0.001


@pytest.mark.parametrize("eleven", ["off", "on"])
def test_everything_hidden_of_an_opening_is_equally_likely_everywhere(eleven):
    state = GAME.new(5, {"eleven_cards": eleven}, seed=3)
    if eleven == "on":
        for _ in range(3):
            state.apply(state.legal_actions()[4])
    before = state.to_dict()
    seat = before["dealer"]
    held = {*before["hands"][seat], before["placed"][seat], before["trump_card"]}
    card = next(one for one in deck(5) if one not in held)
    places = Counter()
    size = games(1500, 30000)
    for seed in range(size):
        d = state.determinize(seat, seed).to_dict()
        for other in range(5):
            places["hand", other] += card in d["hands"][other]
        for key in ("pile", "aside"):
            places.update((key, i) for i, one in enumerate(d[key]) if one == card)
    assert places.total() == size
    cells = {("hand", s): len(before["hands"][s]) for s in range(5) if s != seat}
    cells |= {("aside", i): 1 for i in range(len(before["aside"]))}
    cells |= {("pile", i): 1 for i in range(len(before["pile"])) if i or eleven == "off"}
    total = sum(cells.values())
    expected = [size * weight / total for weight in cells.values()]
    assert chisquare([places[cell] for cell in cells], expected).pvalue > 0.001


def test_mission_pile_is_uniform():
    state = after(base("N4", mission_pile=["no_red", "most_red", "exactly_1"], set_aside=[
        "trick_7", "exactly_2", "trick_9", "most_blue", "trick_r", "no_yellow", "exactly_3",
        "trick_r5",
    ]))  # fmt: skip
    orders = {tuple(tiles) for tiles in permutations(["no_red", "most_red", "exactly_1"])}
    assert_uniform(state, 1, orders, lambda d: tuple(d["mission_pile"]), 50)


@pytest.mark.plain
def test_samples_respect_every_colour_that_was_not_followed():
    for seed, (players, eleven) in product(range(games(1, 20)), product((3, 4, 5), ("off", "on"))):
        for count, state in enumerate(
            positions(GAME.new(players, {"eleven_cards": eleven}, seed), seed)
        ):
            if count % 7 == 0:
                d = state.determinize(count % players, count).to_dict()
                void = voids_of(d)
                for seat, hand in enumerate(d["hands"]):
                    assert not any(card[0] in void[seat] for card in hand)
                assert canonical(GAME.from_dict(d).to_dict()) == canonical(d)
