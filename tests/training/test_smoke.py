from emberdeck.policies.policy import load
from emberdeck.training.config import load_config
from emberdeck.training.evaluate import evaluate
from emberdeck.training.learn import train


def test_the_smoke_config_learns_to_beat_random(tmp_path):
    config = load_config("smoke")
    run = train(config, tmp_path / "smoke")
    bot, random = load(f"{run.folder}@latest"), load("random", config.game)
    result = evaluate(bot, [random], config.game, config.players, config.options, deals=300)
    assert result.win_share > result.chance + 0.1, str(result)
    assert result.win_share_interval[0] > result.chance, str(result)
