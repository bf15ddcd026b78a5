"""The public handle of a game: `Game` makes states, `State` plays one."""

import hashlib
import importlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType, SimpleNamespace
from typing import Any, Literal, NoReturn

import numpy as np

from . import kernels
from .compiled import records
from .dispatch import Rules, register
from .rng import seed_bits

RewardKind = Literal["win", "rank", "score"]
REWARDS: tuple[RewardKind, ...] = ("win", "rank", "score")
AUTO = "auto"  # an option's value that depends on the number of players
REWARD_CODES = {"win": kernels.WIN, "rank": kernels.RANK, "score": kernels.SCORE}


class IllegalAction(ValueError):  # noqa: N818 - the name that users know from other libraries
    """An action that is not legal now; whatever raised it has not changed."""


@dataclass(frozen=True)
class Option:
    """A rule variant: its default, the allowed values, what it means, its field in the record.

    `automatic`, if given, maps the number of players to the value that "auto" stands for; a state
    only ever holds a plain value, so "auto" comes last in `values`.
    """

    default: bool | int | str
    values: tuple[bool | int | str, ...]
    meaning: str
    field: str
    automatic: Callable[[int], bool | int | str] | None = None

    def code(self, value: bool | int | str) -> int:
        """Return the int that stands for `value` in a state: itself, or a string's index."""
        return self.values.index(value) if isinstance(value, str) else int(value)


@dataclass(frozen=True)
class Block:
    """A named part of the observation: `observation[offset : offset + length]`.

    `action`, if given, says that element i tells how good the action `action + i` looks.
    """

    name: str
    offset: int
    length: int
    meaning: str
    action: int | None = None


def blocks(*parts: tuple[str, int, str] | tuple[str, int, str, int]) -> tuple[Block, ...]:
    """Lay (name, length, meaning[, action]) parts out one behind the other."""
    laid_out, offset = [], 0
    for name, length, meaning, *action in parts:
        laid_out.append(Block(name, offset, length, meaning, *action))
        offset += length
    return tuple(laid_out)


@dataclass(frozen=True, eq=False)
class Game:
    """One of the games: its facts, and the way to make states of it.

    `players` are the allowed numbers of seats; an action's name stands at its id in `action_names`.
    `document` is the game's module with `write(fields) -> document`, `read(document, record)`,
    `view(document, seat or None) -> view` and `complete(view, seat) -> document`. Of an action in
    `secret_actions` the other seats only learn that one was chosen.
    """

    name: str
    title: str
    version: int
    players: range
    default_players: int
    options: Mapping[str, Option]
    phases: tuple[str, ...]
    action_names: tuple[str, ...]
    observation_blocks: tuple[Block, ...]
    state_dtype: np.dtype
    score_scale: float
    rules: Rules
    document: ModuleType
    secret_actions: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        register(self.state_dtype, self.rules)

    def __repr__(self) -> str:
        return f"<Game {self.name}>"

    def __reduce__(self) -> tuple[Callable[[str], "Game"], tuple[str]]:
        return get_game, (self.name,)  # a game is a singleton, in every process

    @cached_property
    def num_actions(self) -> int:
        """The number A of action ids; the same for every seat count and option."""
        return len(self.action_names)

    @cached_property
    def observation_size(self) -> int:
        """The length OBS of an observation; the same for every seat count and option."""
        last = self.observation_blocks[-1]
        return last.offset + last.length

    @property
    def hints(self) -> list[list[int]]:
        """The blocks that tell of actions, each as [offset, length, first action id]."""
        return [
            [b.offset, b.length, b.action] for b in self.observation_blocks if b.action is not None
        ]

    @cached_property
    def layout_hash(self) -> str:
        """A hash of action names and observation blocks: bots of another layout cannot play."""
        layout = [
            self.action_names,
            [(block.name, block.length, block.meaning) for block in self.observation_blocks],
        ]
        return hashlib.sha256(json.dumps(layout).encode()).hexdigest()[:16]

    @cached_property
    def _action_ids(self) -> dict[str, int]:
        return {name: action for action, name in enumerate(self.action_names)}

    @property
    def drawing(self) -> ModuleType:
        """The module with `text(view)` and `svg(view)`, loaded when first used."""
        return importlib.import_module(f"..{self.name}.drawing", __name__)

    def action_id(self, name: str) -> int:
        """Return the id of the action called `name`; ValueError if there is none."""
        try:
            return self._action_ids[name]
        except (KeyError, TypeError):
            raise ValueError(f"{self.name} has no action {name!r}") from None

    def resolve(
        self, players: int | None, options: Mapping[str, Any] | None
    ) -> tuple[int, dict[str, Any], np.ndarray]:
        """Return (players, all options with their values, the same as int64 codes).

        "auto" becomes the value that it stands for. Raises ValueError naming the option and what is
        allowed.
        """
        if players is None:
            players = self.default_players
        if isinstance(players, bool) or not isinstance(players, int) or players not in self.players:
            allowed = ", ".join(map(str, self.players))
            raise ValueError(f"{self.name}: players must be one of {allowed}, not {players!r}")
        chosen = {name: option.default for name, option in self.options.items()}
        for name, value in (options or {}).items():
            if name not in self.options:
                known = ", ".join(self.options) or "none"
                raise ValueError(f"{self.name} has no option {name!r} (options: {known})")
            values = self.options[name].values
            if not any(type(value) is type(known) and value == known for known in values):
                allowed = ", ".join(map(repr, values))
                raise ValueError(
                    f"{self.name}: option {name} must be one of {allowed}, not {value!r}"
                )
            chosen[name] = value
        for name, option in self.options.items():
            if option.automatic and chosen[name] == AUTO:
                chosen[name] = option.automatic(players)
        codes = [option.code(chosen[name]) for name, option in self.options.items()]
        return players, chosen, np.array(codes, np.int64)

    def new(
        self, players: int | None = None, options: Mapping[str, Any] | None = None, seed: int = 0
    ) -> "State":
        """Return a fresh game with its first decision ready.

        `seed` is any int >= 0; ValueError on a bad seat count, option or seed.
        """
        players, _, codes = self.resolve(players, options)
        array = self._zeroed()
        kernels.start(array, 0, players, codes, np.uint64(seed_bits(seed)))
        return State(self, array)

    def _zeroed(self) -> np.ndarray:
        return records(np.zeros(1, self.state_dtype))

    def wrap(self, record: np.ndarray) -> "State":
        """Return a copy of one record of this game, such as `vector.states[3]`, as a state."""
        return State(self, records(np.array(record, self.state_dtype).reshape(1)))

    def from_dict(self, document: Mapping[str, Any], seed: int = 0) -> "State":
        """Return the state of a document, its generator started from `seed`.

        Raises ValueError naming the key at fault in a document that is not consistent.
        """
        array = self._zeroed()
        self.document.read(document, _record(array))
        array["rng"] = seed_bits(seed)
        return State(self, array)

    def from_view(self, view: Mapping[str, Any], seat: int, seed: int = 0) -> "State":
        """Return a state that shows `seat` this view, the hidden part sampled from `seed`.

        Raises ValueError naming the key at fault in a view that is not consistent.
        """
        if not isinstance(seat, int | np.integer) or isinstance(seat, bool):
            raise ValueError(f"seat must be an int, not {seat!r}")
        state = self.from_dict(self.document.complete(view, seat), seed)
        return state.determinize(seat, seed)


class State:
    """One game in progress of `players` seats, all of it in the structured `array` of length 1."""

    __hash__ = None  # type: ignore[assignment] # mutable

    def __init__(self, game: Game, array: np.ndarray) -> None:
        self.game = game
        self.array = array
        self.players = int(array["players"][0])

    def __repr__(self) -> str:
        turn = "over" if self.over else f"{self.phase}, seat {self.to_act} to act"
        return f"<State {self.game.name}, {self.players} players, {turn}>"

    def __eq__(self, other: object) -> bool:
        """Tell whether two states are the same, whatever their generators will draw."""
        if not isinstance(other, State) or other.game is not self.game:
            return NotImplemented
        return _without_generator(self.array) == _without_generator(other.array)

    def __reduce__(self) -> tuple[Callable[[Game, bytes], "State"], tuple[Game, bytes]]:
        return _from_bytes, (self.game, self.array.tobytes())

    @property
    def options(self) -> dict[str, Any]:
        """Every option with the value it has in this game."""
        codes = {name: int(self.array[o.field][0]) for name, o in self.game.options.items()}
        return {
            name: next(value for value in option.values if option.code(value) == codes[name])
            for name, option in self.game.options.items()
        }

    @property
    def to_act(self) -> int | None:
        """The acting seat, or None when the game is over."""
        seat = self.array["to_act"].item()
        return None if seat == kernels.OVER else seat

    @property
    def phase(self) -> str:
        """The kind of decision that is due, one of `game.phases`."""
        return self.game.phases[self.array["phase"][0]]

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.array["to_act"].item() == kernels.OVER

    def mask(self) -> np.ndarray:
        """Return the action mask, int8[A]: 1 = legal for the acting seat; zeros when over."""
        mask = np.empty(self.game.num_actions, np.int8)
        kernels.fill_mask(self.array, 0, mask)
        return mask

    def legal_actions(self) -> list[int]:
        """Return the legal action ids, ascending; empty when over."""
        return self.mask().nonzero()[0].tolist()

    def apply(self, action: int) -> None:
        """Apply a legal action in place; IllegalAction leaves the state as it was."""
        mask = np.empty(self.game.num_actions, np.int8)
        if type(action) is not int or not 0 <= action < self.game.num_actions:
            action = as_action(action)
        if not kernels.try_action(self.array, 0, action, mask):
            self._refuse(action)

    def _refuse(self, action: object) -> NoReturn:
        raise IllegalAction(illegal_message(self.game, action, self.to_act, self.mask()))

    def observation(self, seat: int) -> np.ndarray:
        """Return what `seat` may know, float32[OBS]; ValueError for a seat that is not in play."""
        self._check(seat)
        out = np.empty(self.game.observation_size, np.float32)
        kernels.fill_observation(self.array, 0, seat, out)
        return out

    def _check(self, seat: int) -> None:
        is_int = type(seat) is int or isinstance(seat, np.integer)
        if not (is_int and 0 <= seat < self.players):
            raise ValueError(f"seat must be an int from 0 to {self.players - 1}, not {seat!r}")

    def _outcome(self) -> tuple[np.ndarray, np.ndarray]:
        scores, places = np.zeros((2, self.players), np.int64)
        kernels.fill_outcome(self.array, 0, scores, places)
        return scores, places

    def scores(self) -> list[int]:
        """Return the rulebook's points of every seat, live during the game."""
        return self._outcome()[0].tolist()

    def winners(self) -> list[int]:
        """Return the seats that share the victory after all tie-breaks; empty until the end."""
        return np.flatnonzero(self._outcome()[1] == 0).tolist() if self.over else []

    def rewards(self, kind: RewardKind = "win") -> list[float]:
        """Return every seat's reward, all 0 until the end; ValueError for an unknown kind."""
        code = reward_code(kind)
        rewards = np.zeros(self.players)
        if self.over:
            kernels.fill_rewards(*self._outcome(), code, self.game.score_scale, rewards)
        return rewards.tolist()

    def to_dict(self) -> dict[str, Any]:
        """Return the state document: the whole state but its generator, as plain JSON values."""
        fields = {name: self.array[name][0] for name in self.game.state_dtype.names or ()}
        return self.game.document.write(SimpleNamespace(**fields))

    def view(self, seat: int) -> dict[str, Any]:
        """Return the document as `seat` may know it: null for every hidden item."""
        self._check(seat)
        return self.game.document.view(self.to_dict(), seat)

    def spectator_view(self) -> dict[str, Any]:
        """Return the document as somebody without a seat may know it."""
        return self.game.document.view(self.to_dict(), None)

    def copy(self) -> "State":
        """Return an independent copy, its generator included."""
        return self.game.wrap(self.array)

    def determinize(self, seat: int, seed: int) -> "State":
        """Return a new state, sampled from those that show `seat` the same view.

        Its generator starts from `seed` too; this state stays as it is.
        """
        self._check(seat)
        sampled = self.copy()
        kernels.resample(sampled.array, 0, seat, np.uint64(seed_bits(seed)))
        return sampled

    def heuristic_action(self) -> int:
        """Return the scripted player's action for the acting seat; ValueError when over."""
        if self.over:
            raise ValueError("the game is over: nobody is to act")
        actions = np.empty(1, np.int64)
        kernels.heuristic_actions(self.copy().array, actions)
        return int(actions[0])


def _record(array: np.ndarray) -> np.record:
    """Return the record of a state's array with its fields as attributes."""
    return array.view(np.recarray)[0]


def _without_generator(array: np.ndarray) -> bytes:
    plain = np.array(array)
    plain["rng"] = 0
    return plain.tobytes()


def _from_bytes(game: Game, data: bytes) -> State:
    return game.wrap(np.frombuffer(data, game.state_dtype))


def as_action(action: object) -> int:
    """Return an action as an int; IllegalAction for what is no integer."""
    if isinstance(action, bool) or not isinstance(action, int | np.integer):
        raise IllegalAction(f"an action is an int, not {action!r}")
    return int(action) if -1 <= action < 2**31 else -1


def illegal_message(game: Game, action: object, seat: int | None, mask: np.ndarray) -> str:
    """Say in one line which action of which seat is illegal, and what is legal."""
    if seat is None:
        return f"action {action!r}: the game is over"
    number = action if isinstance(action, int) and 0 <= action < game.num_actions else None
    name = f"{action} ({game.action_names[number]})" if number is not None else repr(action)
    allowed = ", ".join(f"{i} ({game.action_names[i]})" for i in np.flatnonzero(mask))
    return f"action {name} is not legal for seat {seat}; legal: {allowed}"


def reward_code(kind: str) -> int:
    """Return the kernels' number for a kind of reward; ValueError names the allowed ones."""
    if kind not in REWARD_CODES:
        raise ValueError(f"reward must be one of {', '.join(REWARDS)}, not {kind!r}")
    return REWARD_CODES[kind]


def get_game(game: str | Game) -> Game:
    """Return the game of that name (or the game itself); ValueError lists the names."""
    from . import GAMES  # a game's own module imports this one

    if isinstance(game, Game):
        return game
    if game not in GAMES:
        raise ValueError(f"there is no game {game!r} (games: {', '.join(GAMES)})")
    return GAMES[game]
