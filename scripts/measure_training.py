"""What `emberdeck benchmark` measures of training, against loops that could do the same."""

import time
from collections.abc import Callable
from statistics import median

import numpy as np
import torch as th
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import DummyVecEnv
from torch import nn
from torch.nn import functional

from ..envs.game import Game
from ..policies.seat_env import SeatEnv
from ..training.config import PPOConfig, RunConfig, read_config
from ..training.learn import build
from ..training.network import policy_kwargs

N_STEPS = 32  # of every game between two updates
ITERATIONS = 6  # the first one warms up
ENVS = 16  # of the plain MaskablePPO


def benchmark_config(game: str) -> RunConfig:
    """Return the long run's config, all seats the learner, with a short window."""
    values = read_config("pumafiosi")
    values |= {"game": game, "players": None, "options": {}}
    values["ppo"]["n_steps"] = N_STEPS
    values["opponents"]["weights"] = {"self": 1}
    return RunConfig.model_validate(values)


class Clock(BaseCallback):
    """Times every iteration of a model, and lets `between` run in the gaps."""

    def __init__(self, between: Callable[[], None]) -> None:
        super().__init__()
        self.between = between
        self.rates: list[float] = []
        self.started, self.done = 0.0, 0

    def _on_rollout_start(self) -> None:
        self._stop()
        self.between()
        self.started, self.done = time.perf_counter(), self.num_timesteps

    def _on_step(self) -> bool:
        return True

    def _on_training_end(self) -> None:
        self._stop()

    def _stop(self) -> None:
        if self.started:
            seconds = time.perf_counter() - self.started
            self.rates.append((self.model.num_timesteps - self.done) / seconds)


class BareLoop:
    """PPO on ready arrays with nothing around it: what an iteration costs at least."""

    def __init__(self, config: RunConfig, game: Game) -> None:
        observations, actions = game.observation_size, game.num_actions
        rng = np.random.default_rng(0)
        self.ppo: PPOConfig = config.ppo
        games = config.ppo.num_games
        observation = rng.random((N_STEPS, games, observations), np.float32) < 0.1
        mask = rng.random((N_STEPS, games, actions)) < 0.1
        mask[:, :, 0] = True
        self.observation = th.from_numpy(observation.astype(np.float32))
        self.mask = th.from_numpy(mask)
        self.reward = np.where(rng.random((N_STEPS, games)) < 0.02, 1, 0).astype(np.float32)
        sizes = [observations, *config.network.hidden]
        layers: list[nn.Module] = []
        for inputs, outputs in zip(sizes, config.network.hidden, strict=False):
            layers += [nn.Linear(inputs, outputs), nn.ReLU()]
        self.trunk = nn.Sequential(*layers)
        self.action, self.value = nn.Linear(sizes[-1], actions), nn.Linear(sizes[-1], 1)
        self.parameters = [
            p for module in (self.trunk, self.action, self.value) for p in module.parameters()
        ]
        rate = config.ppo.learning_rate
        self.optimizer = th.optim.Adam(self.parameters, lr=rate, eps=1e-5, fused=True)
        self.rates: list[float] = []

    def __call__(self) -> None:
        """Make one iteration: collect a window, estimate advantages, update."""
        started = time.perf_counter()
        actions, log_probs, values = self.collect()
        advantages = self.advantages(values)
        self.update(actions, log_probs, advantages, advantages + th.from_numpy(values))
        self.rates.append(actions.numel() / (time.perf_counter() - started))

    def forward(self, observation: th.Tensor, mask: th.Tensor) -> tuple[th.Tensor, th.Tensor]:
        """Return masked log-probabilities and values."""
        features = self.trunk(observation)
        logits = th.where(mask, self.action(features), -1e9)
        return functional.log_softmax(logits, dim=1), self.value(features)[:, 0]

    @th.no_grad()
    def collect(self) -> tuple[th.Tensor, th.Tensor, np.ndarray]:
        """Pick actions for every row of the window."""
        actions, chosen, values = [], [], []
        for observation, mask in zip(self.observation, self.mask, strict=True):
            log_probs, value = self.forward(observation, mask)
            action = th.multinomial(log_probs.exp(), 1)
            actions.append(action[:, 0])
            chosen.append(log_probs.gather(1, action)[:, 0])
            values.append(value)
        return th.stack(actions), th.stack(chosen), th.stack(values).numpy()

    def advantages(self, values: np.ndarray) -> th.Tensor:
        """Estimate advantages over the ready rewards."""
        advantages, last = np.zeros_like(values), np.zeros(values.shape[1], np.float32)
        after = last
        for step in range(N_STEPS - 1, -1, -1):
            delta = self.reward[step] + self.ppo.gamma * after - values[step]
            last = delta + self.ppo.gamma * self.ppo.gae_lambda * last
            advantages[step], after = last, values[step]
        return th.from_numpy(advantages)

    def update(self, *window: th.Tensor) -> None:
        """Train on the window's actions, log-probabilities, advantages and returns."""
        ppo = self.ppo
        columns = [column.flatten(0, 1) for column in (self.observation, self.mask, *window)]
        count = len(columns[0])
        for _ in range(ppo.n_epochs):
            for rows in th.randperm(count).tensor_split(-(-count // ppo.batch_size)):
                observation, mask, action, old, advantage, target = (c[rows] for c in columns)
                log_probs, value = self.forward(observation, mask)
                entropy = -(log_probs.exp() * log_probs).sum(1).mean()
                ratio = (log_probs.gather(1, action[:, None])[:, 0] - old).exp()
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                clipped = ratio.clamp(1 - ppo.clip_range, 1 + ppo.clip_range)
                policy_loss = -th.min(advantage * ratio, advantage * clipped).mean()
                value_loss = functional.mse_loss(value, target)
                loss = policy_loss - ppo.ent_coef * entropy + ppo.vf_coef * value_loss
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.parameters, ppo.max_grad_norm)
                self.optimizer.step()


class PlainMaskablePPO:
    """MaskablePPO of sb3-contrib on `ENVS` of our Gymnasium environments in this process."""

    def __init__(self, config: RunConfig, game: Game) -> None:
        env = DummyVecEnv([lambda: SeatEnv(game, opponents="random")] * ENVS)
        ppo = config.ppo.model_dump(exclude={"num_games", "n_steps", "schedule"})
        n_steps = ppo["batch_size"] // ENVS
        kwargs = policy_kwargs(config.network.hidden, config.network.activation)
        self.model = MaskablePPO(
            "MlpPolicy", env, n_steps=n_steps, policy_kwargs=kwargs, device="cpu", **ppo
        )
        self.rates: list[float] = []

    def __call__(self) -> None:
        """Make one iteration."""
        started = time.perf_counter()
        before = self.model.num_timesteps
        self.model.learn(1, reset_num_timesteps=False)
        self.rates.append((self.model.num_timesteps - before) / (time.perf_counter() - started))


def ours_and(game: str, other: type[BareLoop | PlainMaskablePPO]) -> float:
    """Return our training's rate as a multiple of another's, their iterations in turns."""
    config = benchmark_config(game)
    model = build(config)
    loop = other(config, model.env.vector.game)
    clock = Clock(loop)
    model.learn(N_STEPS * config.ppo.num_games * ITERATIONS, clock)
    pairs = zip(clock.rates, loop.rates, strict=False)
    return median([ours / theirs for ours, theirs in pairs][1:])


def bare_loop(game: str) -> float:
    """Return our training's rate as a multiple of a bare PPO loop."""
    return ours_and(game, BareLoop)


def plain_maskable_ppo(game: str) -> float:
    """Return our training's rate as a multiple of plain MaskablePPO's, of one seat a game."""
    return ours_and(game, PlainMaskablePPO)
