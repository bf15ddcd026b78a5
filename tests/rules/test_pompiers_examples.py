"""The worked examples of Pompiers! (13 of docs/rules/pompiers.md), by number."""

import pytest

from .pompiers_documents import BASES, EXAMPLES, GAME, after, base, legal

pytestmark = pytest.mark.plain


def found(state, key):
    """Return what an example's `expect` calls `key`."""
    document = state.to_dict()
    what, *words = key.split()
    if what == "legal":
        return legal(state)
    if what == "winners":
        return state.winners()
    if what == "rewards":
        return [round(reward, 4) for reward in state.rewards(words[0])]
    if what == "last":
        return document["tricks"][-1]
    if what in ("met", "flipped"):
        return [basic[what] for basic in document["last_round"]["basic"]]
    if what == "awards":
        tiles = document["last_round"]["emergency"]
        return [[tile["tile"], tile["met"], tile["winner"]] for tile in tiles]
    if what == "view":
        return state.view(int(words[0]))[words[1]]
    if what == "unordered":
        parts = [document[part] for part in words[0].split("+")]
        return sorted(
            card for part in parts for card in ([part] if isinstance(part, str) else part)
        )
    return document[key]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"E{example['n']}")
def test_worked_example(example):
    document = base(example["base"], **example.get("set", {}))
    state = after(document, example.get("line", ""), example.get("upto", 50), example.get("do", ()))
    for key, expected in example["expect"].items():
        assert found(state, key) == expected, (key, example["shows"])
    assert GAME.from_dict(state.to_dict()) == state


@pytest.mark.parametrize("name", BASES)
def test_base_document_is_read_and_written(name):
    assert GAME.from_dict(BASES[name]).to_dict() == BASES[name]


def test_there_are_40_examples():
    assert [example["n"] for example in EXAMPLES] == list(range(1, 41))
