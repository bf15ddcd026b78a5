"""What a seat of Fire Bulls cannot know is sampled as section 11 of the rules page says."""

import random
from collections import Counter
from itertools import permutations

import pytest
from scipy.stats import chisquare

from ..contract_helpers import games
from .fire_bulls_documents import ALL_QI, ALL_YEN, BASES, GAME, complete, minus, spread, started
from .fire_bulls_model import next_cards


def check(state, seat, seed):
    """Sample once and look at everything that the view leaves open."""
    before, after = state.to_dict(), state.determinize(seat, seed).to_dict()
    assert after == GAME.from_dict(after).to_dict()
    for key in ("hands", "drawn"):
        assert after[key][seat] == before[key][seat]
        assert list(map(len, after[key])) == list(map(len, before[key]))
    for known, hand in zip(before["known"], after["hands"], strict=True):
        assert not Counter(known) - Counter(hand)
    left = Counter(before["pool"]) - Counter(before["drawn"][seat])
    assert not Counter(after["qi_pile"]) - left
    others = [cards for other, cards in enumerate(after["drawn"]) if other != seat]
    assert left == Counter([*after["qi_pile"], *(kind for cards in others for kind in cards)])
    hidden = {"hands", "drawn", "qi_pile", "yen_piles", "stolen"}
    assert all(before[key] == after[key] for key in before if key not in hidden)
    return after


@pytest.mark.plain
@pytest.mark.parametrize("base", BASES)
def test_what_is_known_stays(base):
    state = GAME.from_dict(BASES[base])
    for seat in range(state.players):
        for seed in range(games(4, 100)):
            check(state, seat, seed)


@pytest.mark.plain
@pytest.mark.parametrize("players", GAME.players)
def test_what_is_known_stays_in_games(players):
    for seed in range(games(1, 20)):
        rng = random.Random(seed)
        state = GAME.new(players, seed=seed)
        while not state.over:
            if rng.random() < games(0.3, 1):
                check(state, rng.randrange(players), seed)
            well = rng.random() < 0.5
            state.apply(state.heuristic_action() if well else rng.choice(state.legal_actions()))


def fits(counts, expected):
    """Tell whether counts follow expected weights (chi-square), and nothing else occurs."""
    assert set(counts) <= set(expected)
    size, total = sum(counts.values()), sum(expected.values())
    shares = [size * weight / total for weight in expected.values()]
    return chisquare([counts[key] for key in expected], shares).pvalue > 0.001


def as_text(cards):
    return "".join(cards)


def deal(cards, sizes):
    """Return every way to deal single cards into ordered places, as (weight 1) lists of parts."""
    for order in permutations(cards):
        parts, at = [], 0
        for size in sizes:
            parts.append(order[at : at + size])
            at += size
        yield parts


def small_pile():
    """Return a position where few Qi cards are hidden: two in the pile, three in other hands."""
    d = complete(
        {
            "hands": [["g"], ["y", "r"], ["r", "*"]],
            "known": [[], ["y"], []],
            "qi_top": ["b", "y"],
            "rest": "display",
            "finished": 1,
        }
    )
    # The pile was formed from b, y, y, r, r: seat 1 drew a card that it has paid since.
    d["drawn"] = [[], ["y", "r"], ["r"]]
    d["pool"] = ["y", "y", "r", "r", "b"]
    return d


def test_small_qi_pile_is_sampled_as_the_page_says():
    d = small_pile()
    state = GAME.from_dict(d)
    unseen = ["y", "r", "r", "b", "*"]  # in the pile or in other hands, seat 1's y aside
    pool = ["y", "y", "r", "r", "b"]
    both = ["y", "r", "r", "b"]
    expected = Counter()
    for pile in permutations(both, 2):
        hands = spread(minus(unseen, pile))
        drawn = spread(minus(pool, pile))
        ways = Counter()
        for first, second in deal(hands, (1, 2)):
            ways[as_text(sorted(["y", *first])), as_text(sorted(second))] += 1
        draws = Counter()
        for first, second in deal(drawn, (2, 1)):
            draws[as_text(sorted(first)), as_text(sorted(second))] += 1
        for hand, n in ways.items():
            for draw, m in draws.items():
                expected[as_text(pile), hand, draw] += n * m
    counts = Counter()
    for seed in range(games(3000, 60000)):
        after = state.determinize(0, seed).to_dict()
        hands = tuple(as_text(sorted(hand)) for hand in after["hands"][1:])
        draws = tuple(as_text(sorted(cards)) for cards in after["drawn"][1:])
        counts[as_text(after["qi_pile"]), hands, draws] += 1
    assert len(counts) > 0.9 * len(expected)
    assert fits(counts, expected)


def test_card_that_left_the_pool_is_not_in_the_pile():
    # The Warrior is unseen, but not from this pile: it is in a hand, whatever is sampled.
    state = GAME.from_dict(small_pile())
    for seed in range(games(50, 1000)):
        after = state.determinize(0, seed).to_dict()
        assert "*" not in after["qi_pile"]
        assert sum(hand.count("*") for hand in after["hands"]) == 1


def test_fresh_deal_is_sampled_uniformly():
    # How many cards of the first colour each other hand and the pile hold: hypergeometric
    state = GAME.new(3, seed=5)
    d = state.to_dict()
    unseen = ALL_QI - Counter(d["hands"][0]) - Counter(d["display"])
    size, total = games(2000, 50000), unseen.total()
    counts = Counter()
    for seed in range(size):
        hand = state.determinize(0, seed).to_dict()["hands"][1]
        counts[hand.count("g")] += 1
    ways = {}
    greens, others = unseen["g"], total - unseen["g"]
    for k in range(4):
        ways[k] = choose(greens, k) * choose(others, 3 - k)
    assert fits(counts, ways)


def choose(n, k):
    result = 1
    for i in range(k):
        result = result * (n - i) // (i + 1)
    return result


def test_yen_piles_are_sampled_uniformly():
    d = complete({"yen_top": [["K"], ["X", "G"], ["X"]], "yen_rest": "removed"})
    state = GAME.from_dict(d)
    expected = Counter("".join(order) for order in permutations("KXGX"))
    counts = Counter()
    for seed in range(games(1200, 24000)):
        piles = state.determinize(0, seed).to_dict()["yen_piles"]
        assert list(map(len, piles)) == [1, 2, 1]
        counts["".join(card for pile in piles for card in pile)] += 1
    assert fits(counts, expected)


def test_yen_piles_of_a_fresh_game_are_sampled_uniformly():
    state = GAME.new(2, seed=3)
    d = state.to_dict()
    seen = [card for row in d["rows"] for card in row]
    seen += ["G"] if d["general"] == "aside" else []
    unseen = ALL_YEN - Counter(seen)
    counts = Counter()
    for seed in range(games(1500, 30000)):
        counts[state.determinize(1, seed).to_dict()["yen_piles"][1][-1]] += 1
    assert fits(counts, unseen)


def test_stolen_cards_that_a_seat_did_not_see_are_any_of_the_54():
    d = complete(
        {
            "players": 4,
            "general": "beaten",
            "removed": ["G"],
            "stolen": {"by": 1, "cards": ["r", "-", "b", "-"]},
        }
    )
    state = GAME.from_dict(d)
    counts = Counter()
    for seed in range(games(1000, 20000)):
        stolen = state.determinize(0, seed).to_dict()["stolen"]
        assert (stolen["by"], stolen["cards"][:2], stolen["cards"][3]) == (1, ["r", "-"], "-")
        counts[stolen["cards"][2]] += 1
        assert state.determinize(1, seed).to_dict()["stolen"] == d["stolen"]
    assert fits(counts, ALL_QI)


def test_attacking_hand_is_sampled_among_those_that_can_go_on():
    # Seat 0 has laid r, r for an X and holds two cards: one at least is an r or a Warrior.
    d = complete(
        {
            "hands": [["r", "*"], [], ["y"]],
            "qi_top": ["b", "g"],
            "discard": ["r", "r"],
            "rest": "display",
            "finished": 1,
            "bulls": ["L", "M", "R"],
            "rows": [["X", "B", "B"], ["X", "X", "X"], ["X", "X", "X"]],
        }
    )
    d |= {"phase": "attack"}
    d["attack"] = {"dir": "L", "limit": 3, "beaten": [], "paid": ["r", "r"], "warriors": 0}
    d["drawn"], d["pool"] = [["r", "*"], [], []], ["g", "r", "b", "*"]
    state = GAME.from_dict(d)
    unseen, expected = ["g", "r", "b", "*"], Counter()
    for order in permutations(unseen):
        hand = spread(Counter(order[:2]))
        if next_cards("X", hand, ["r", "r"]):
            expected[as_text(hand), as_text(order[2:])] += 1
    counts = Counter()
    for seed in range(games(600, 12000)):
        after = state.determinize(2, seed).to_dict()
        assert after["hands"][2] == ["y"]
        counts[as_text(after["hands"][0]), as_text(after["qi_pile"])] += 1
    assert len(expected) == 10
    assert fits(counts, expected)


@pytest.mark.plain
def test_attacking_hand_leaves_cards_for_the_pile():
    # Of the two unseen cards only the g can be in the pile, so the y pays for the Stockade.
    d = complete(
        {
            "hands": [["y"], [], ["r"]],
            "qi_top": ["g"],
            "rest": "display",
            "finished": 1,
            "bulls": ["L", "M", "R"],
            "rows": [["K", "B", "B"], ["X", "X", "X"], ["X", "X", "X"]],
        }
    )
    d |= {"phase": "attack", "drawn": [[], [], ["r"]], "pool": ["g", "r"]}
    d["attack"] = {"dir": "L", "limit": 3, "beaten": [], "paid": [], "warriors": 0}
    state = GAME.from_dict(d)
    for seed in range(5):
        for sampled in (state.determinize(2, seed), GAME.from_view(state.view(2), 2, seed)):
            document = sampled.to_dict()
            assert (document["hands"][0], document["qi_pile"]) == (["y"], ["g"])


@pytest.mark.plain
def test_a_later_shuffle_is_not_the_real_one():
    state = GAME.from_dict(started(32), seed=1)
    draws = [GAME.action_id("draw stay")] * 2
    piles = set()
    for seed in (1, 2, 3):
        sampled = state.determinize(0, seed)
        for action in draws:
            sampled.apply(action)
        piles.add(as_text(sampled.to_dict()["qi_pile"]))
    for action in draws:
        state.apply(action)
    piles.add(as_text(state.to_dict()["qi_pile"]))
    assert len(piles) == 4
