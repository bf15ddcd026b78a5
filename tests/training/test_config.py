from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from emberdeck.envs import GAMES
from emberdeck.training.config import (
    ConfigError,
    RunConfig,
    config_names,
    dump_config,
    explain,
    flatten,
    read_config,
    read_yaml,
    typed,
)


def changed(key: str, value: object) -> dict:
    """The smoke config with one key changed, or added."""
    config = read_config("smoke")
    *path, last = key.split(".")
    section = config
    for name in path:
        section = section[name]
    section[last] = value
    return config


def lines(config: dict) -> list[str]:
    with pytest.raises(ValidationError) as caught:
        RunConfig.model_validate(config)
    return list(explain(caught.value.errors(), RunConfig))


@pytest.mark.parametrize("name", config_names())
def test_every_packaged_config_is_complete_and_valid(name):
    given = dict(flatten(read_config(name)))
    config = RunConfig.model_validate(read_config(name))
    resolved = dict(flatten(config.model_dump()))
    assert given.keys() - resolved.keys() == set()
    assert resolved.keys() - given.keys() == set()
    assert "first" in config.evaluation.opponents or "heuristic" in config.evaluation.opponents


def test_the_configs_of_the_readme_are_there():
    assert {"demo", "pumafiosi", "smoke"} <= set(config_names())
    assert RunConfig.model_validate(read_config("demo")).players == 2
    long_run = RunConfig.model_validate(read_config("pumafiosi"))
    game = GAMES["pumafiosi"]
    assert (long_run.players, long_run.options) == game.resolve(None, {})[:2]


def test_a_dumped_config_reads_back_equal(tmp_path):
    config = RunConfig.model_validate(read_config("smoke"))
    file = tmp_path / "config.yaml"
    file.write_text(dump_config(config))
    assert RunConfig.model_validate(read_config(file)) == config


def test_players_and_options_are_resolved():
    values = changed("players", None) | {"options": {"items": True}}
    config = RunConfig.model_validate(values)
    assert config.players == 4
    assert config.options == {"items": True, "games": 3}


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("ppo.learning_rat", 1, ["ppo.learning_rat", "unknown key", "learning_rate"]),
        ("colour", "red", ["colour", "unknown key", "total_timesteps"]),
        ("ppo.learning_rate", "abc", ["ppo.learning_rate", "number", "'abc'"]),
        ("ppo.learning_rate", -1, ["ppo.learning_rate", "greater than 0", "-1"]),
        ("ppo.learning_rate", float("nan"), ["ppo.learning_rate", "finite", "nan"]),
        ("ppo.gamma", 1.5, ["ppo.gamma", "less than or equal to 1", "1.5"]),
        ("ppo.batch_size", 0.5, ["ppo.batch_size", "integer", "0.5"]),
        ("network.hidden", [0], ["network.hidden", "1 to 8192", "[0]"]),
        ("network.activation", "gelu", ["network.activation", "'relu' or 'tanh'", "'gelu'"]),
        ("game", "chess", ["game", "'chess'", "pumafiosi"]),
        ("players", 7, ["players", "7", "2, 3, 4, 5"]),
        ("options", {"item": True}, ["options", "'item'", "items"]),
        ("options", {"items": "red"}, ["options", "'red'", "False, True"]),
        ("reward", "fame", ["reward", "'win', 'rank' or 'score'", "'fame'"]),
        ("opponents.weights", {"nobody": 1}, ["opponents.weights", "'nobody'", "random", "pool"]),
        ("opponents.weights", {"self": "x"}, ["opponents.weights.self", "number", "'x'"]),
        ("opponents.weights", {"self": 0}, ["opponents.weights", "above 0", "0"]),
        ("opponents.mode", "hot", ["opponents.mode", "'hot'", "greedy"]),
        ("opponents.prioritisation", "odd", ["opponents.prioritisation", "'odd'", "even"]),
        ("teacher", "nobody", ["teacher", "'nobody'", "heuristic"]),
        ("teacher", "search:0", ["teacher", "'search:0'", "simulations"]),
        ("evaluation.opponents", ["RUN@best"], ["evaluation.opponents", "'RUN@best'"]),
        ("evaluation.opponents", ["first"], ["evaluation.opponents", "besides 'first'"]),
        ("evaluation.mode", 0, ["evaluation.mode", "temperature > 0"]),
        ("seed", -1, ["seed", "greater than or equal to 0", "-1"]),
    ],
)
def test_an_error_is_one_line_with_key_value_and_what_is_allowed(key, value, words):
    (line,) = lines(changed(key, value))
    assert "\n" not in line
    assert line.startswith(words[0])
    assert all(word in line for word in words)


def test_a_missing_key_is_named():
    config = read_config("smoke")
    del config["ppo"]["gamma"]
    assert lines(config) == ["ppo.gamma: is missing"]


def test_errors_in_several_keys_give_a_line_each():
    config = changed("ppo.gamma", 2)
    config["seed"] = "x"
    assert [line.partition(":")[0] for line in lines(config)] == ["seed", "ppo.gamma"]


@pytest.mark.parametrize(
    "content",
    [b"", b"just text", b"- a\n- list", b"a: [1, 2", b"a: b: c", b"\xff\xfe\x00", None],
    ids=["empty", "text", "list", "open bracket", "nested", "binary", "no file"],
)
def test_a_file_that_is_no_config_is_refused_in_one_line(tmp_path, content):
    file = tmp_path / "bad.yaml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        read_config(file)
    assert "bad.yaml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_config_names_those_there_are():
    with pytest.raises(ConfigError, match="'pumafosi'.*" + ", ".join(config_names())):
        read_config("pumafosi")


def test_numbers_like_1e_3_are_numbers(tmp_path):
    file = Path(tmp_path) / "run.yaml"
    file.write_text(yaml.safe_dump(changed("ppo.learning_rate", "1e-3")))
    assert RunConfig.model_validate(read_config(file)).ppo.learning_rate == 1e-3


def test_on_and_off_are_text_and_true_and_false_are_not():
    assert [typed(text) for text in ("on", "off", "no")] == ["on", "off", "no"]
    assert [typed(text) for text in ("true", "false", "3")] == [True, False, 3]
    assert read_yaml("{one: off, two: true, three: 'on'}") == {
        "one": "off",
        "two": True,
        "three": "on",
    }
