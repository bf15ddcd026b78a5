"""Gymnasium environments for one learner: it holds one seat, named policies hold the others."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ..envs import Game, IllegalAction, State, kernels
from ..envs.compiled import njit, records
from ..envs.dispatch import legal, observe, step
from ..envs.drawing import RENDER_MODES, render
from ..envs.game import illegal_message
from .policy import Decisions
from .seating import Seating


class SeatEnv(gymnasium.Env[np.ndarray, Any]):
    """One seat of a game: a step plays the learner's action, then the others' up to its next turn.

    `seat` is "random" (drawn for each game) or a number, `opponents` one policy or a list for the
    seats that follow, `opponent_mode` how policies with probabilities pick, `reward` "win", "rank"
    or "score"; the game's options go by name. An observation is float32[OBS]; the mask, int8[A]
    with 1 = legal and all zero after the end, is in `info["action_mask"]` and `action_masks()`. The
    reward is 0 until the game ends; then `info` has `scores`, `winners` and `is_success`. An
    illegal action raises `IllegalAction` and changes nothing. A seed fixes this game and those that
    later resets without one start: seat, deal and the opponents' draws.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012 (as Gymnasium declares it)

    def __init__(self, game: Game | str, render_mode: str | None = None, **settings: Any) -> None:
        self.seating = Seating(game, render_mode=render_mode, **settings)
        self.render_mode = render_mode
        self.observation_space, self.action_space = self.seating.spaces()
        self.state: State
        self.seat: int

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start a new game; `options` is ignored, the game's options were given at construction."""
        super().reset(seed=seed, options=options)
        seating, rng = self.seating, self.np_random
        seating.reseed(rng)
        self.seat = int(seating.draw_seats(rng, 1)[0])
        self.state = seating.game.new(seating.players, seating.options, int(rng.integers(2**63)))
        return self._observe()

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Play the learner's action; no game is cut short, so `truncated` is always False."""
        self.state.apply(action)
        observation, info = self._observe()
        reward = self.state.rewards(self.seating.reward)[self.seat]
        return observation, reward, self.state.over, False, info

    def action_masks(self) -> np.ndarray:
        """Return the mask of the learner's decision, int8[A]: 1 = legal, all 0 after the end."""
        return self.state.mask()

    def render(self) -> Any:
        """Draw the learner's view, after the end the spectator's.

        `ansi` returns the text, `rgb_array` an (H, W, 3) uint8 picture, `human` prints the text, by
        itself after each reset and step.
        """
        return render(self.state, self.seat, self.render_mode)

    def _observe(self) -> tuple[np.ndarray, dict[str, Any]]:
        """Play the opponents up to the learner's decision or the end; return what is there."""
        state, seating = self.state, self.seating
        while state.to_act is not None and state.to_act != self.seat:
            holder = seating.holders[(state.to_act - self.seat) % seating.players - 1]
            state.apply(seating.policies[holder].act(Decisions.single(state))[0])
        if self.render_mode == "human":
            self.render()
        return state.observation(self.seat), seating.info(state, self.seat)


class SeatVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """Many games of `SeatEnv` in lock-step on arrays, with its settings; one policy call for all.

    A finished game restarts in the same step (`AutoresetMode.SAME_STEP`): the observation is that
    of the new game, `final_obs` and `final_info` in the infos tell of the old one. All arrays are
    copies to keep. One illegal action raises `IllegalAction`, and no game changes.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (as Gymnasium declares it)
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": 2,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self, game: Game | str, num_envs: int = 1, render_mode: str | None = None, **settings: Any
    ) -> None:
        self.seating = Seating(game, render_mode=render_mode, **settings)
        self.num_envs, self.render_mode = num_envs, render_mode
        self.single_observation_space, self.single_action_space = self.seating.spaces()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.seats = np.zeros(num_envs, np.int64)
        game = self.seating.game
        self._games = Decisions(
            game,
            observation=np.zeros((num_envs, game.observation_size), np.float32),
            mask=np.zeros((num_envs, game.num_actions), np.int8),
            seat=np.zeros(num_envs, np.int64),
            states=records(np.zeros(num_envs, game.state_dtype)),
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start a new game everywhere; one seed fixes all games, `options` is ignored."""
        super().reset(seed=seed, options=options)
        self.seating.reseed(self.np_random)
        self._start(np.arange(self.num_envs))
        return self._games.observation.copy(), self._infos()

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play the learner's action, int[N], in every game; no game is cut short."""
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise IllegalAction(f"actions must be {self.num_envs} ints, one a game")
        every = np.arange(self.num_envs)
        self._play(every, actions.astype(np.int64))
        self._play_opponents(every)
        terminated = self._games.seat == kernels.OVER
        rewards, finals = np.zeros(self.num_envs), {}
        for row in np.flatnonzero(terminated).tolist():
            state, seat = self._state(row), int(self.seats[row])
            rewards[row] = state.rewards(self.seating.reward)[seat]
            observation = self._games.observation[row].copy()
            final = {"final_obs": observation, "final_info": self.seating.info(state, seat)}
            finals = self._add_info(finals, final, row)
        self._start(np.flatnonzero(terminated))
        infos = {**self._infos(), **finals}
        truncated = np.zeros(self.num_envs, bool)
        return self._games.observation.copy(), rewards, terminated, truncated, infos

    def action_masks(self) -> np.ndarray:
        """Return the mask of the learner's decision in each game, int8[N, A], 1 = legal."""
        return self._games.mask.copy()

    def render(self) -> tuple[Any, ...]:
        """Draw the learner's view of every game: text (`ansi`) or uint8 (H, W, 3) (`rgb_array`)."""
        seats = enumerate(self.seats)
        return tuple(render(self._state(row), int(seat), self.render_mode) for row, seat in seats)

    def _state(self, row: int) -> State:
        return State(self.seating.game, self._games.states[row : row + 1])

    def _infos(self) -> dict[str, Any]:
        infos = {"action_mask": self.action_masks(), "seat": self.seats.copy()}
        return infos | {f"_{key}": np.ones(self.num_envs, bool) for key in infos}

    def _start(self, rows: np.ndarray) -> None:
        """Start new games and play the opponents up to the learner's first decision."""
        seating, states = self.seating, self._games.states
        self.seats[rows] = seating.draw_seats(self.np_random, len(rows))
        states[rows] = 0
        seeds = self.np_random.integers(2**64, size=len(rows), dtype=np.uint64)
        for row, seed in zip(rows, seeds, strict=True):
            kernels.start(states, row, seating.players, seating.codes, seed)
        self._see(rows)
        self._play_opponents(rows)

    def _play_opponents(self, rows: np.ndarray) -> None:
        """Play the opponents in these games up to the learner's decision or the end."""
        games, seating = self._games, self.seating
        while True:
            acting = games.seat[rows]
            rows = rows[(acting != kernels.OVER) & (acting != self.seats[rows])]
            if not len(rows):
                return
            place = (games.seat[rows] - self.seats[rows]) % seating.players - 1
            holder = seating.holders[place]
            actions = np.zeros(len(rows), np.int64)
            for number in np.unique(holder):
                held = holder == number
                actions[held] = seating.policies[number].act(Decisions.of(games, rows[held]))
            self._play(rows, actions)

    def _play(self, rows: np.ndarray, actions: np.ndarray) -> None:
        """Apply one action in each of these games, or in none if one is illegal."""
        games = self._games
        wrong = kernels.first_illegal(games.mask[rows], actions)
        if wrong >= 0:
            row, action = int(rows[wrong]), int(actions[wrong])
            seat, mask = self._state(row).to_act, games.mask[row]
            raise IllegalAction(f"game {row}: {illegal_message(games.game, action, seat, mask)}")
        _step_rows(games.states, rows, actions)
        self._see(rows)

    def _see(self, rows: np.ndarray) -> None:
        games = self._games
        _see_rows(games.states, rows, self.seats, games.seat, games.observation, games.mask)


@njit
def _step_rows(states: np.ndarray, rows: np.ndarray, actions: np.ndarray) -> None:
    """Apply a legal action, int64[M], to each of the games `rows`, int64[M]."""
    for index in range(rows.size):
        step(states[rows[index]], actions[index])


@njit
def _see_rows(
    states: np.ndarray,
    rows: np.ndarray,
    learner: np.ndarray,
    seat: np.ndarray,
    observation: np.ndarray,
    mask: np.ndarray,
) -> None:
    """Fill acting seat, mask and observation of the games `rows`; after the end the learner's."""
    for index in range(rows.size):
        row = int(rows[index])
        s = states[row]
        seat[row] = s.to_act
        legal(s, mask[row])
        viewer = learner[row] if s.to_act == kernels.OVER else s.to_act
        observe(s, viewer, observation[row])
