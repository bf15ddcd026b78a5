"""SelfPlayPPO: sb3-contrib's MaskablePPO on the decisions of every seat that the learner holds."""

import time
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import torch as th
from sb3_contrib import MaskablePPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv
from torch.nn import functional

from ..envs.compiled import records
from ..envs.kernels import fill_standing
from ..policies.policy import Decisions, Policy
from ..policies.scripted import HeuristicPolicy
from .buffer import SelfPlayBuffer
from .network import SelfPlayPolicy
from .vec_env import SelfPlayVecEnv

COUNTERS = ("num_timesteps", "_n_updates", "_total_timesteps", "_current_progress_remaining")


class SelfPlayPPO(MaskablePPO):
    """MaskablePPO whose samples are the decisions of the seats that the learner holds.

    The environment is a SelfPlayVecEnv; `n_steps` counts its steps, `num_timesteps` the learner's
    decisions. Only the collection of rollouts and the buffer differ, and that a run can be saved:
    `snapshot` and `restore`. "MlpPolicy" is `SelfPlayPolicy`.

    Until `num_timesteps` reaches `imitation` the `teacher` (None: the game's scripted player)
    decides for the learner, and the network learns its moves and what they bring.
    """

    policy_aliases = {"MlpPolicy": SelfPlayPolicy}  # noqa: RUF012 - a ClassVar in the base class
    rollout_buffer: SelfPlayBuffer  # type: ignore[assignment]
    env: SelfPlayVecEnv  # type: ignore[assignment]

    def __init__(
        self,
        policy: str,
        env: SelfPlayVecEnv,
        *args: Any,
        imitation: int = 0,
        teacher: Policy | None = None,
        **kwargs: Any,
    ) -> None:
        self.imitation = imitation
        self.is_imitating = False  # in this window
        self.teacher = teacher or HeuristicPolicy()
        super().__init__(policy, env, *args, **kwargs)

    def _setup_model(self) -> None:
        if not isinstance(self.env, SelfPlayVecEnv):
            raise ValueError(f"SelfPlayPPO needs a SelfPlayVecEnv, not {type(self.env).__name__}")
        self.rollout_buffer_class = SelfPlayBuffer  # type: ignore[assignment]
        self.rollout_buffer_kwargs = {"seats": self.env.vector.players, "seed": self.seed}
        super()._setup_model()

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer | SelfPlayBuffer,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Play `n_rollout_steps` steps, or more until there are two samples, the least to train on.

        `callback.on_step` may end the training after any step, which it does by returning False:
        the window's closed rows are then lost, as in stable-baselines3. Logged as `time/inference`
        are the forward passes of learner and opponents, as `time/engine` all the rest.
        """
        assert isinstance(env, SelfPlayVecEnv)
        assert isinstance(rollout_buffer, SelfPlayBuffer)
        assert use_masking, "opponents and learner pick legal actions only"
        assert self._last_episode_starts is not None
        self.policy.set_training_mode(False)
        if self._last_episode_starts.all():  # all games have just begun
            rollout_buffer.clear()
        rollout_buffer.reset()
        callback.on_rollout_start()
        self.is_imitating = self.num_timesteps < self.imitation
        started, inference, n_steps = time.perf_counter(), 0.0, 0
        while n_steps < n_rollout_steps or rollout_buffer.num_closed < 2:
            thinking = time.perf_counter()
            actions = self._decide(env, rollout_buffer)
            inference += time.perf_counter() - thinking
            self.num_timesteps += int(np.count_nonzero(env.learner))
            new_obs, rewards, dones, infos = env.advance(actions)
            rollout_buffer.settle(env.vector.reward, dones)
            self._last_obs, self._last_episode_starts = new_obs, dones.copy()
            finished = np.flatnonzero(dones)
            self._update_info_buffer([infos[game] for game in finished], dones[finished])
            n_steps += 1
            callback.update_locals(locals())
            if not callback.on_step():
                return False
        rollout_buffer.compute_returns_and_advantage()
        self.logger.record("time/inference", inference)
        self.logger.record("time/engine", time.perf_counter() - started - inference)
        for name, value in env.statistics().items():
            self.logger.record(f"selfplay/{name}", value)
        self.logger.record("selfplay/pool_size", len(env.lineups.pool))
        self.logger.record("selfplay/opponent_mode", str(env.lineups.mode))
        callback.update_locals(locals())
        callback.on_rollout_end()
        return True

    def _decide(self, env: SelfPlayVecEnv, rollout_buffer: SelfPlayBuffer) -> np.ndarray:
        """Return everybody's decisions, int64[G]; the learner's get their rows in the buffer."""
        decisions = np.zeros(env.num_envs, np.int64)
        games = np.flatnonzero(env.learner)
        if len(games):
            rows = rollout_buffer.add(env.vector, games)
            columns = {name: column[rows] for name, column in rollout_buffer.columns.items()}
            with th.no_grad():
                observation = th.from_numpy(columns["observation"]).to(self.device)
                if self.is_imitating:
                    moves = self.teacher.act(Decisions.of(env.vector, games))
                    actions = th.from_numpy(moves).to(self.device)
                    values, log_probs, _ = self.policy.evaluate_actions(
                        observation, actions, columns["mask"]
                    )
                else:
                    actions, values, log_probs = self.policy(observation, False, columns["mask"])
            scale = env.vector.game.score_scale
            fill_standing(records(env.vector.states), games, scale, columns["standing"])
            columns["action"][:] = decisions[games] = actions.cpu().numpy()
            columns["value"][:] = values[:, 0].cpu().numpy() + columns["standing"]
            columns["log_prob"][:] = log_probs.cpu().numpy()
        env.decide(decisions)
        return decisions

    def train(self) -> None:
        """Update the policy, as MaskablePPO does or to imitate, and log the time."""
        started = time.perf_counter()
        if self.is_imitating:
            self._imitate()
        else:
            super().train()
        self.logger.record("time/update", time.perf_counter() - started)

    def _imitate(self) -> None:
        """Make the moves in the buffer more likely, and the values right."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        losses = []
        for _ in range(self.n_epochs):
            for batch in self.rollout_buffer.get(self.batch_size):
                values, log_probs, entropy = self.policy.evaluate_actions(
                    batch.observations, batch.actions, batch.action_masks
                )
                assert entropy is not None
                value_loss = functional.mse_loss(values[:, 0], batch.returns)
                loss = self.vf_coef * value_loss - log_probs.mean() - self.ent_coef * entropy.mean()
                self.policy.optimizer.zero_grad()
                loss.backward()
                th.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
                self.policy.optimizer.step()
                losses.append((-log_probs.mean().item(), value_loss.item()))
            self._n_updates += 1
        for name, loss in zip(
            ("imitation_loss", "value_loss"), np.mean(losses, axis=0), strict=True
        ):
            self.logger.record(f"train/{name}", float(loss))

    def dump_logs(self, iteration: int = 0) -> None:
        """Write the log; `rollout/ep_rew_mean` leaves out games without an opponent.

        (Unless there are no others: the rewards of all seats cancel out.) `rollout/ep_len_mean`
        counts all games.
        """
        games = self.ep_info_buffer
        if games:
            rewards = [g["r"] for g in games if g["opponent"]] or [g["r"] for g in games]
            lengths = [g["l"] for g in games]
            self.ep_info_buffer = deque([{"r": np.mean(rewards), "l": np.mean(lengths)}])
        super().dump_logs(iteration)
        self.ep_info_buffer = games

    def snapshot(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Return all that `restore` needs: arrays, and plain values for JSON.

        To be taken between an update and the next rollout (in a callback's `on_rollout_start`), or
        after training.
        """
        env_arrays, env_data = self.env.snapshot()
        groups = {
            "policy": {n: p.detach().cpu().numpy() for n, p in self.policy.named_parameters()},
            "adam": {
                f"{index}.{name}": value.cpu().numpy()
                for index, state in self.policy.optimizer.state_dict()["state"].items()
                for name, value in state.items()
            },
            "torch": {"rng": th.get_rng_state().numpy()},
            "rows": self.rollout_buffer.snapshot(),
            "env": env_arrays,
        }
        data = {
            "counters": {name: getattr(self, name) for name in COUNTERS},
            "games": list(self.ep_info_buffer or ()),
            "successes": list(self.ep_success_buffer or ()),
            "buffer_rng": self.rollout_buffer.rng.bit_generator.state,
            "teacher_rng": self.teacher.rng.bit_generator.state,
            "env": env_data,
        }
        arrays = {
            f"{group}.{name}": array.copy()
            for group, named in groups.items()
            for name, array in named.items()
        }
        return arrays, data

    def restore(
        self,
        arrays: dict[str, np.ndarray],
        data: dict[str, Any],
        checkpoints: str | Path | None = None,
    ) -> None:
        """Continue from a snapshot of a model with the same arguments, bit for bit on the CPU.

        Go on with `learn(..., reset_num_timesteps=False)`. `checkpoints` is the folder with the
        pool's checkpoints, if they were moved. Raises ValueError if one cannot be loaded.
        """
        groups: dict[str, dict[str, np.ndarray]] = {"adam": {}}
        for key, array in arrays.items():
            group, _, name = key.partition(".")
            groups.setdefault(group, {})[name] = array
        with th.no_grad():
            for name, parameter in self.policy.named_parameters():
                parameter.copy_(th.from_numpy(groups["policy"][name]))
        state: dict[int, dict[str, th.Tensor]] = {}
        for key, array in groups["adam"].items():
            index, _, name = key.partition(".")
            state.setdefault(int(index), {})[name] = th.from_numpy(array.copy())
        settings = self.policy.optimizer.state_dict()["param_groups"]
        self.policy.optimizer.load_state_dict({"state": state, "param_groups": settings})
        th.set_rng_state(th.from_numpy(groups["torch"]["rng"].copy()))
        self.rollout_buffer.restore(groups["rows"])
        self.rollout_buffer.rng.bit_generator.state = data["buffer_rng"]
        self.teacher.rng.bit_generator.state = data["teacher_rng"]
        self.env.restore(groups["env"], data["env"], checkpoints)
        for name, value in data["counters"].items():
            setattr(self, name, value)
        self.ep_info_buffer = deque(data["games"], maxlen=self._stats_window_size)
        self.ep_success_buffer = deque(data["successes"], maxlen=self._stats_window_size)
        self._last_obs = self.env.vector.observation
        self._last_episode_starts = self.env.vector.done.copy()
