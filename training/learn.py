"""Train a run: build the model from its config, then learn, evaluate and save until it is done."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import torch as th
from stable_baselines3.common.callbacks import BaseCallback, CallbackList
from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat
from stable_baselines3.common.utils import ConstantSchedule, LinearSchedule
from torch.utils.tensorboard.writer import SummaryWriter

from .. import __version__
from ..envs.game import get_game
from ..policies.checkpoint import CheckpointPolicy, load_checkpoint
from ..policies.policy import Policy, load
from .config import FIRST, ConfigError, RunConfig
from .evaluate import evaluate
from .network import export_weights, policy_kwargs
from .opponents import Lineups
from .ppo import SelfPlayPPO
from .progress import TrainingProgress
from .runs import Run, check_new, checkpoint_name
from .vec_env import SelfPlayVecEnv

MAX_THREADS = 8  # by default; small networks gain nothing from more


def train(
    config: RunConfig,
    folder: Path,
    resume: bool = False,
    command: str = "",
    callback: BaseCallback | None = None,
) -> Run:
    """Train as `config` says in the run folder `folder`, from nothing or from where it stopped.

    `command` is noted in the folder; stable-baselines3 calls `callback` besides our own. Raises
    `ConfigError` before anything is written if the folder or the config does not fit, and
    `KeyboardInterrupt` after Ctrl-C, with the run saved.
    """
    if resume:
        run = Run.reopen(folder, config, command)
        model = build(run.config)
    else:
        check_new(folder)
        config = config.model_copy(update={"num_threads": config.num_threads or usable_cores()})
        model = build(config)
        run = Run.create(folder, config, command)
    keeper = Keeper(run, model)
    remaining = run.config.total_timesteps - model.num_timesteps
    with keeper.running():
        if remaining > 0:
            callbacks = CallbackList([keeper, callback] if callback else [keeper])
            model.learn(remaining, callbacks, reset_num_timesteps=False)
    return run


def usable_cores() -> int:
    """Return the number of cores this process may use, at most `MAX_THREADS`."""
    affinity = getattr(os, "sched_getaffinity", None)  # Linux only
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    return min(cores, MAX_THREADS)


def build(config: RunConfig) -> SelfPlayPPO:
    """Return the model as it is before the first rollout; also sets torch's threads."""
    th.set_num_threads(config.num_threads or usable_cores())
    ppo = config.ppo.model_dump(exclude={"num_games", "schedule", "learning_rate"})
    rate = config.ppo.learning_rate
    linear = config.ppo.schedule == "linear"
    seeds = np.random.SeedSequence(config.seed).generate_state(4)
    players, options = config.players, config.options
    try:
        assert players is not None  # a valid config holds the resolved number
        lineups = Lineups(config.game, players, **config.opponents.model_dump(), seed=int(seeds[0]))
        env = SelfPlayVecEnv(
            config.game,
            config.ppo.num_games,
            players,
            options,
            config.reward,
            int(seeds[1]),
            lineups,
        )
        teacher = load(config.teacher, config.game, seed=int(seeds[3]))
    except ValueError as error:
        raise ConfigError(str(error)) from error
    return SelfPlayPPO(
        "MlpPolicy",
        env,
        learning_rate=LinearSchedule(rate, 0.0, 1.0) if linear else ConstantSchedule(rate),
        policy_kwargs=policy_kwargs(**network_of(config)),
        seed=int(seeds[2]),
        device="cpu",
        imitation=config.imitation,
        teacher=teacher,
        **ppo,
    )


def network_of(config: RunConfig) -> dict[str, Any]:
    """Return what a checkpoint's card says of the network: sizes, activation, hints."""
    hints = get_game(config.game).hints if config.network.hints else []
    return {**config.network.model_dump(), "hints": hints}


class Events(TensorBoardOutputFormat):
    """TensorBoard's event file. Of earlier files in the folder, points after `step` are void."""

    def __init__(self, folder: Path, step: int) -> None:
        # TensorBoard reads the files in the order of the seconds in their names.
        stamps = [int(file.name.split(".")[3]) for file in folder.glob("events.out.tfevents.*")]
        time.sleep(min(max(max(stamps, default=0) + 1 - time.time(), 0), 1))
        self.writer = SummaryWriter(str(folder), purge_step=step + 1)
        self._is_closed = False


class Keeper(BaseCallback):
    """Between two rollouts: evaluates, saves, and stops for Ctrl-C. Shows the progress.

    Made with the model as `build` gives it; brings it to the run's newest checkpoint.
    """

    model: SelfPlayPPO

    def __init__(self, run: Run, model: SelfPlayPPO) -> None:
        super().__init__()
        self.run, self.config = run, run.config
        self.saved = self.evaluated = 0  # steps of the last scheduled ones
        self.first = ""  # name of the first scheduled checkpoint
        self.stopping = False
        pending: list[tuple[str, float, str]] = []
        if point := run.restore_point():
            folder, arrays, state = point
            model.restore(arrays, state["model"], run.checkpoints)
            self.saved, self.evaluated = state["saved"], state["evaluated"]
            self.first, pending = state["first"], state["log"]
            if self.saved == model.num_timesteps:
                model.env.add_checkpoint(folder)
        self.events = Events(run.tensorboard, model.num_timesteps)
        model.set_logger(Logger(str(run.tensorboard), [self.events]))
        for key, value, excluded in pending:
            model.logger.record(key, value, excluded)
        self.progress = TrainingProgress(self.config.total_timesteps, model.num_timesteps)
        if changed := run.changed_versions():
            self.progress.say(
                f"not as when the run began: {', '.join(changed)}; weights may differ"
            )

    @contextmanager
    def running(self) -> Iterator[None]:
        """Show the progress, and let the first Ctrl-C wait for the end of the update."""
        before = signal.signal(signal.SIGINT, self._interrupt)
        try:
            with self.progress:
                yield
        finally:
            signal.signal(signal.SIGINT, before)
            self.events.close()

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.stopping = True
        signal.signal(signal.SIGINT, signal.default_int_handler)  # the second one stops at once
        self.progress.say("stopping after this update")

    def _on_step(self) -> bool:
        self.progress.update(self.model.num_timesteps)
        return True

    def _on_rollout_start(self) -> None:
        evaluation = self._due(self.config.evaluation.every, self.evaluated)
        if evaluation or self._due(self.config.checkpoint.every, self.saved):
            self._save_scheduled(evaluation)
        if self.stopping:
            if self.run.newest_step() != self.model.num_timesteps:
                self._save({})  # out of turn, so not an opponent: resuming changes nothing
            raise KeyboardInterrupt

    def _on_training_end(self) -> None:
        self._save_scheduled(evaluation=True)

    def _due(self, every: int, last: int) -> bool:
        return self.model.num_timesteps // every > last // every

    def _save_scheduled(self, evaluation: bool) -> None:
        """Evaluate if it is time, save, and add the checkpoint to the opponents."""
        started = time.perf_counter()
        metrics = self._evaluate() if evaluation else {}
        evaluated = time.perf_counter()
        self.saved = self.model.num_timesteps
        self.first = self.first or checkpoint_name(self.saved)
        self.model.env.add_checkpoint(self._save(metrics))
        self.logger.record("time/evaluation", evaluated - started)
        self.logger.record("time/save", time.perf_counter() - evaluated)

    def _save(self, metrics: dict[str, Any]) -> Path:
        arrays, model = self.model.snapshot()
        log, excluded = self.logger.name_to_value, self.logger.name_to_excluded
        opponents = [Path(folder).name for folder in self.model.env.lineups.checkpoints()]
        state = {
            "model": model,
            "saved": self.saved,
            "evaluated": self.evaluated,
            "first": self.first,
            "keeps": [*opponents, self.first],
            "log": [(key, float(value), excluded[key]) for key, value in log.items()],
        }
        weights = export_weights(self.model.policy)
        return self.run.save(weights, self._card() | {"metrics": metrics}, arrays, state)

    def _card(self) -> dict[str, Any]:
        game = get_game(self.config.game)
        return {
            "game": game.name,
            "game_version": game.version,
            "layout_hash": game.layout_hash,
            "players": self.config.players,
            "options": self.config.options,
            "network": network_of(self.config),
            "step": self.model.num_timesteps,
            "metrics": {},
            "emberdeck_version": __version__,
        }

    def _evaluate(self) -> dict[str, Any]:
        """Play the fixed opponents, note the results in the run, return them by opponent.

        All chance comes from the config's seed and the step, none from the training's generators.
        """
        settings, step = self.config.evaluation, self.model.num_timesteps
        seeds = np.random.SeedSequence([self.config.seed, step]).generate_state(3).tolist()
        weights, card = export_weights(self.model.policy), self._card()
        results = {
            name: evaluate(
                CheckpointPolicy(weights, card, settings.mode, seeds[1]),
                [self._anchor(name, seeds[2])],
                self.config.game,
                self.config.players,
                self.config.options,
                settings.deals,
                seeds[0],
            )
            for name in settings.opponents
            if name != FIRST or self.first
        }
        self.evaluated = step
        hardest = min(results, key=lambda name: results[name].win_share)
        self.progress.note = f"win share {results[hardest].win_share:.2f} ({hardest})"
        self.progress.say(f"{step:,} transitions")
        for name, result in results.items():
            self.progress.say(f"  against {name}: {result}")
            low, high = result.win_share_interval
            values = {"win_share": result.win_share, "win_share_low": low, "win_share_high": high}
            values |= {"margin": result.margin, "games": result.games, "chance": result.chance}
            tags = {f"eval/{name}/{key}": value for key, value in values.items()}
            self.events.write(tags, dict.fromkeys(tags, ("",)), step)
        metrics = {name: result.figures() for name, result in results.items()}
        self.run.add_evaluations(
            {"step": step, "opponent": name, "mode": settings.mode, **figures}
            for name, figures in metrics.items()
        )
        return metrics

    def _anchor(self, name: str, seed: int) -> Policy:
        mode = self.config.evaluation.mode
        if name == FIRST:
            return load_checkpoint(self.run.checkpoints / self.first, mode, seed)
        return load(name, self.config.game, mode, seed)
