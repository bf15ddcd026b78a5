"""The compiled engine: the same as plain Python, cached but never stale, inside its arrays."""

import json
import os
import shutil
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare

import emberdeck
from emberdeck.envs import GAMES, Game, compiled
from emberdeck.envs.compiled import records
from emberdeck.envs.rng import GENERATOR, draw_below, next_bits, seed_bits, seed_many, shuffle

from .contract_helpers import (
    canonical,
    random_positions,
    run_python,
    setups_of_every_size,
    without_generator,
)

PACKAGE = Path(str(emberdeck.__file__)).parent
COMPILED = {"NUMBA_DISABLE_JIT": "0", "NUMBA_BOUNDSCHECK": "0"}
PRINT_FINGERPRINTS = "import json; print(json.dumps(helpers.fingerprints()))"


# One engine, two ways to run it


def test_plain_python_and_compiled_code_play_the_same_games():
    plain = json.loads(run_python(PRINT_FINGERPRINTS, NUMBA_DISABLE_JIT="1"))
    assert json.loads(run_python(PRINT_FINGERPRINTS, **COMPILED)) == plain


def test_bad_index_is_caught_and_none_occurs():
    code = """
state = helpers.every_setup()[0].new(0)
state.array["to_act"] = state.array["hand"].shape[1]
try:
    state.mask()
except IndexError:
    helpers.fingerprints()
else:
    raise SystemExit("a bad index is not caught, so this run checks nothing")
"""
    run_python(code, NUMBA_DISABLE_JIT="0", NUMBA_BOUNDSCHECK="1")


# The kernel cache


def test_second_process_compiles_nothing():
    code = """
from numba.core import event

class Listener(event.Listener):
    def on_start(self, event):
        print(event.data["dispatcher"])

    def on_end(self, event):
        pass

event.register("numba:compile", Listener())
helpers.fingerprints()
"""
    run_python(code, **COMPILED)  # fills the cache, if it was not full
    assert run_python(code, **COMPILED) == ""


def legal_names(package: Path, cache: Path, document: str) -> str:
    """Return the names of the legal actions in a new process, as a copy of the package has it."""
    code = f"""
import json
import emberdeck
assert emberdeck.__file__.startswith({str(package)!r}), emberdeck.__file__
game = helpers.GAMES["pumafiosi"]
state = game.from_dict(json.loads({document!r}))
print(*(game.action_names[action] for action in state.legal_actions()), sep=", ")
"""
    environment = {"PYTHONPATH": str(package.parent), "NUMBA_CACHE_DIR": str(cache)}
    return run_python(code, **COMPILED, **environment).strip()


def test_edited_source_is_never_served_stale(tmp_path: Path):
    package, cache = tmp_path / "emberdeck", tmp_path / "cache"
    package.mkdir()
    for name in ("envs", "policies", "training", "__init__.py"):
        copy = shutil.copytree if (PACKAGE / name).is_dir() else shutil.copy
        copy(PACKAGE / name, package / name)
    state = GAMES["pumafiosi"].new(3, {"games": 1}, seed=1)
    while state.phase != "place":
        state.apply(state.legal_actions()[0])
    document = canonical(state.to_dict())
    file = package / "envs" / "pumafiosi" / "rules.py"
    source = file.read_text("utf-8")
    before = legal_names(package, cache, document)
    file.write_text(source.replace("CARD] < card", "CARD] > card"), "utf-8")
    after = legal_names(package, cache, document)
    assert before == ", ".join(f"place at {value}" for value in (10, 8, 7, 6, 5, 3, 2, 1, -3))
    assert after == "place at -3"  # in the first round every step is empty: a 0 is not above it
    file.write_text(source, "utf-8")
    assert legal_names(package, cache, document) == before


CACHE_FOLDER = "from emberdeck.envs import compiled; print(compiled.CACHE_FOLDER)"


def test_cache_folder_depends_on_the_bounds_check(monkeypatch):
    names = []
    for switch in (None, 0, 1):  # None: the variable is not set
        monkeypatch.setattr(compiled.config, "BOUNDSCHECK", switch)
        names.append(compiled._fingerprint())
    assert names[0] == names[1] != names[2]


def test_cache_folder_is_a_temporary_one_where_none_can_be_written(tmp_path: Path):
    (tmp_path / "file").touch()
    environment = {"NUMBA_CACHE_DIR": str(tmp_path / "file"), "TMPDIR": str(tmp_path)}
    folder = Path(run_python(CACHE_FOLDER, **COMPILED, **environment).strip())
    assert folder.parent == tmp_path
    assert folder.is_dir()


def test_cache_folders_unused_for_a_month_are_removed(tmp_path: Path):
    recent, old = (tmp_path / "emberdeck-kernels" / name for name in ("recent", "old"))
    for folder, days in ((recent, 29), (old, 31)):
        folder.mkdir(parents=True)
        (folder / "kernel").touch()
        then = time.time() - days * 86400
        os.utime(folder, (then, then))
    run_python(CACHE_FOLDER, **COMPILED, NUMBA_CACHE_DIR=str(tmp_path))
    assert recent.exists()
    assert not old.exists()


def test_other_peoples_kernels_keep_their_cache_folder():
    code = """
from numba import config
from emberdeck.envs.compiled import njit
before = config.CACHE_DIR
njit(helpers.games)
assert config.CACHE_DIR == before
"""
    run_python(code, **COMPILED)


# The state record


def fields(dtype: np.dtype):
    """Show every field of a structured type, those of nested ones too."""
    for name, (field, *_) in (dtype.fields or {}).items():
        yield name, field.base
        yield from fields(field.base)


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_state_fields_suit_plain_python(game: Game):
    for name, field in fields(game.state_dtype):
        assert not hasattr(np.record, name), name
        assert not hasattr(np.recarray, name), name
        assert field.names or (field.kind in "iu" and field.itemsize >= 2), name


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_state_has_no_bytes_between_its_fields(game: Game):
    packed = np.dtype([(n, game.state_dtype[n]) for n in game.state_dtype.names or ()])
    assert packed.itemsize == game.state_dtype.itemsize


@pytest.mark.parametrize("setup", setups_of_every_size(), ids=lambda setup: setup.label)
def test_what_is_not_in_use_is_zero(setup):
    # So states with equal documents have equal bytes: one that was played and one that was read.
    for state in random_positions(setup, 1, 50):
        read = setup.game.from_dict(state.to_dict())
        assert without_generator(read) == without_generator(state)


# The generator


def generator(seed: int) -> np.record:
    array = records(np.zeros(1, GENERATOR))
    array["rng"] = seed
    return array[0]


def test_generator_is_splitmix64():
    # The published test vector for the seed 1234567.
    s = generator(1234567)
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [int(next_bits(s)) for _ in expected] == expected


def test_draws_are_uniform():
    s = generator(1)
    counts = np.bincount([draw_below(s, 7) for _ in range(7000)], minlength=7)
    assert len(counts) == 7
    assert chisquare(counts).pvalue > 0.001


def test_shuffles_are_uniform():
    s, counts = generator(2), {}
    for _ in range(24 * 200):
        cards = np.arange(6)
        shuffle(s, cards, 4)
        counts[tuple(cards)] = counts.get(tuple(cards), 0) + 1
    assert all(order[4:] == (4, 5) for order in counts)  # only the first four
    assert len(counts) == 24
    assert chisquare([*counts.values()]).pvalue > 0.001


def test_neighbouring_seeds_are_unrelated():
    bits = [seed_bits(seed) for seed in range(1000)]
    assert len(set(bits)) == 1000
    flipped = [(one ^ two).bit_count() for one, two in pairwise(bits)]
    assert 31 < np.mean(flipped) < 33
    assert seed_bits(np.int64(3)) == seed_bits(3)


def test_one_seed_or_one_a_game():
    assert len(set(seed_many(5, 100).tolist())) == 100
    assert seed_many([5, 6], 2).tolist() == [seed_bits(5), seed_bits(6)]
    assert seed_many(np.array([5, 6]), 2).tolist() == seed_many([5, 6], 2).tolist()
    with pytest.raises(ValueError, match="seed"):
        seed_many([5, 6], 3)
    with pytest.raises(ValueError, match="seed"):
        seed_many([5, -6], 2)


def test_njit_leaves_functions_alone_without_the_compiler():
    code = "from emberdeck.envs.compiled import JIT, njit; assert not JIT; assert njit(len) is len"
    run_python(code, NUMBA_DISABLE_JIT="1")
