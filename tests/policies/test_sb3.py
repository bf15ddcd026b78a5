"""Plain sb3-contrib MaskablePPO on the single-seat environment (cases O-7 and O-8)."""

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import SubprocVecEnv

from emberdeck.policies.seat_env import SeatEnv

from ..contract_helpers import SOAK, games
from .policy_helpers import GAME_NAMES


def make(game: str) -> Monitor:
    return Monitor(SeatEnv(game))


@pytest.mark.parametrize("game", GAME_NAMES)
def test_o7_maskable_ppo_trains_with_its_own_evaluation(game, tmp_path):
    callback = MaskableEvalCallback(
        make(game),
        n_eval_episodes=2,
        eval_freq=512,
        best_model_save_path=str(tmp_path),
        log_path=str(tmp_path),
        verbose=0,
    )
    model = MaskablePPO("MlpPolicy", make(game), n_steps=512, batch_size=128, n_epochs=1, seed=0)
    model.learn(1024, callback)
    assert model.num_timesteps == 1024
    assert (tmp_path / "best_model.zip").exists()
    assert np.load(tmp_path / "evaluations.npz")["timesteps"].tolist() == [512, 1024]


@pytest.mark.parametrize("game", GAME_NAMES if SOAK else GAME_NAMES[:1])
def test_o8_maskable_ppo_trains_on_environments_in_new_processes(game):
    count = games(2, 4)
    # A local function, which travels by value: the new processes cannot import the tests.
    envs = SubprocVecEnv([lambda: Monitor(SeatEnv(game))] * count, start_method="spawn")
    try:
        model = MaskablePPO("MlpPolicy", envs, n_steps=32, batch_size=32, n_epochs=1, seed=0)
        model.learn(64 * count)
        masks = get_action_masks(envs)
        states = envs.get_attr("state")
    finally:
        envs.close()
    assert masks.shape[0] == count
    for mask, state in zip(masks, states, strict=True):
        assert np.flatnonzero(mask).tolist() == state.legal_actions()
