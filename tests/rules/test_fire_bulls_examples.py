"""The worked examples of the rules page (13), each on a hand-made document."""

import pytest

from .fire_bulls_documents import EXAMPLES, complete, legal, played

pytestmark = pytest.mark.plain


def value_at(document, path):
    for key in path.split("."):
        document = document[int(key) if isinstance(document, list) else key]
    return document


def found(state, key):
    """Return what an entry of `then` is about."""
    kind, _, rest = key.partition(".")
    if kind == "len":
        return len(value_at(state.to_dict(), rest))
    if kind == "view":
        seat, _, path = rest.partition(".")
        return value_at(state.view(int(seat)), path)
    if kind == "winners":
        return state.winners()
    if kind == "rewards":
        return pytest.approx(state.rewards(rest), abs=1e-6)
    return value_at(state.to_dict(), key)


@pytest.mark.parametrize("example", EXAMPLES, ids=[f"e{e['id']:02}" for e in EXAMPLES])
@pytest.mark.parametrize("seed", range(3))
def test_worked_example(example, seed):
    state = played(complete(example["given"]), *example["do"], seed=seed)
    for key, expected in example["then"].items():
        if key == "legal":
            assert legal(state) == set(expected)
        elif key == "legal_has":
            assert legal(state) >= set(expected)
        elif key == "legal_not":
            assert not legal(state) & set(expected)
        else:
            assert found(state, key) == expected, key


def test_every_example_is_there():
    assert [example["id"] for example in EXAMPLES] == list(range(1, 55))
