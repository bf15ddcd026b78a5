"""`emberdeck play`: a person against bots in the terminal, or bots alone with comments."""

import copy
import io
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TextIO

import numpy as np
from pydantic import BaseModel, ConfigDict, Field
from pydantic_settings import CliPositionalArg

from ..envs import Game, State, get_game
from ..envs.drawing import seat_name
from ..policies.policy import Decisions, Policy, ProbabilisticPolicy, load
from ..training.config import ConfigError, typed

HUMAN = "human"
HELP = "a move by number or name, 'undo' or 'quit'"


def play(
    game: Game | str,
    seats: Sequence[str | Policy],
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    input: TextIO | None = None,  # noqa: A002 (its usual name)
    output: TextIO | None = None,
) -> State | None:
    """Play one game, each seat held by "human", a policy or its name, in text on `output`.

    At a person's turn its view and numbered legal moves are shown and a line is read from `input`:
    a number, a move's name, `undo` (back to the person's previous decision) or `quit`. Returns the
    finished game, None after `quit` or at the end of the input.
    """
    answers = input or sys.stdin
    game = get_game(game)
    state = game.new(len(seats), dict(options or {}), seed)
    bots = {
        seat: load(one, game, seed=seed + seat) if isinstance(one, str) else one
        for seat, one in enumerate(seats)
        if one != HUMAN
    }
    past: list[tuple[State, dict[int, np.random.Generator]]] = []  # at a person's decisions
    while state.to_act is not None:
        seat = state.to_act
        if seat in bots:
            action = int(bots[seat].act(Decisions.single(state))[0])
            secret = action in game.secret_actions and HUMAN in seats
            chosen = "decides in secret" if secret else game.action_names[action]
            print(f"{_who(seat, bots[seat])}: {chosen}", file=output)
            state.apply(action)
            continue
        print(f"\n{game.drawing.text(state.view(seat))}", file=output)
        answer = _ask(state, seat, bool(past), answers, output)
        if answer == "quit":
            print("the game ends here", file=output)
            return None
        if answer == "undo":
            state, generators = past.pop()
            for one, generator in generators.items():
                bots[one].rng = generator
        else:
            generators = {one: copy.deepcopy(bot.rng) for one, bot in bots.items()}
            past.append((state.copy(), generators))
            state.apply(answer)
    _print_result(state, output)
    return state


def commented_game(
    game: Game | str,
    policies: Sequence[Policy],
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    output: TextIO | None = None,
) -> State:
    """Play one game of bots, one policy a seat; return it finished.

    `output` gets a line a decision: the seat, the policy, its move, and from a policy that has them
    the probability of the move and the reward it expects.
    """
    game = get_game(game)
    state = game.new(len(policies), dict(options or {}), seed)
    while state.to_act is not None:
        policy, decision = policies[state.to_act], Decisions.single(state)
        action = int(policy.act(decision)[0])
        line = f"{_who(state.to_act, policy)}: {game.action_names[action]}"
        if isinstance(policy, ProbabilisticPolicy):
            chance, value = policy.probabilities(decision)[0, action], policy.values(decision)[0]
            line += f"  [probability {chance:.2f}, expects {value:+.2f}]"
        print(line, file=output)
        state.apply(action)
    _print_result(state, output)
    return state


class Play(BaseModel):
    """Play against bots in the terminal, or watch them: `emberdeck play pumafiosi --watch`.

    Type a move's number or name, `undo` or `quit`. A bot is `random`, `heuristic`, `search:N`, the
    path of a checkpoint folder or an exported bot, `RUN@latest` or `RUN@best`.
    """

    model_config = ConfigDict(extra="forbid")

    game: CliPositionalArg[str] = Field(description="name of the game")
    players: int | None = Field(None, description="number of seats; null: the game's default")
    opponents: list[str] = Field(
        ["heuristic"],
        min_length=1,
        description="bots in the seats after yours (with --watch: in all seats); one fills all",
    )
    seat: int = Field(0, ge=0, description="your seat")
    mode: str = Field(
        "sample", description="how bots with probabilities pick: sample, greedy or a temperature"
    )
    seed: int | None = Field(None, ge=0, description="of the deal and the bots; null: a new one")
    options: dict[str, Any] = Field({}, description="the game's, such as items=true,games=1")
    watch: bool = Field(False, description="bots only, with a comment on each move")

    def cli_cmd(self) -> None:
        """Play; ConfigError for what cannot be played."""
        try:
            game = get_game(self.game)
            players, options, _ = game.resolve(
                self.players, {name: typed(value) for name, value in self.options.items()}
            )
            seed = _new_seed() if self.seed is None else self.seed
            seated = players if self.watch else players - 1
            names = self.opponents * seated if len(self.opponents) == 1 else self.opponents
            if len(names) != seated:
                raise ValueError(f"opponents must be one policy or {seated}, not {len(names)}")
            if self.seat >= players:
                raise ValueError(f"seat must be 0 to {players - 1}, not {self.seat}")
            bots = [load(name, game, self.mode, seed + place) for place, name in enumerate(names)]
        except ValueError as error:
            raise ConfigError(str(error)) from error
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")  # bytes that are no text are just a bad answer
        print(f"{game.title}, seed {seed}")
        if self.watch:
            commented_game(game, bots, options, seed)
        else:
            after = players - 1 - self.seat  # how many bots sit between the person and the end
            play(game, [*bots[after:], HUMAN, *bots[:after]], options, seed)


def _new_seed() -> int:
    return int(np.random.default_rng().integers(2**31))


def _ask(
    state: State, seat: int, may_undo: bool, answers: TextIO, output: TextIO | None
) -> int | Literal["undo", "quit"]:
    """Return the action id that a person picks, "undo" or "quit"; ask until it is one of these."""
    moves: dict[str, int] = {}
    for number, action in enumerate(state.legal_actions(), 1):
        name = state.game.action_names[action]
        print(f"{number:4}  {name}", file=output)
        moves[str(number)] = moves[name.lower()] = action
    while True:
        print(f"{seat_name(seat)}> ", end="", file=output, flush=True)
        line = answers.readline()
        answer = " ".join(line.split()).lower()
        if not line or answer == "quit":
            return "quit"
        if answer == "undo" and may_undo:
            return "undo"
        if answer in moves:
            return moves[answer]
        reason = "there is nothing to undo" if answer == "undo" else f"{answer!r} is no legal move"
        print(f"{reason}: please type {HELP}", file=output)


def _print_result(state: State, output: TextIO | None) -> None:
    print(f"\n{state.game.drawing.text(state.spectator_view())}", file=output)
    print(f"won by {' and '.join(map(seat_name, state.winners()))}", file=output)


def _who(seat: int, policy: Policy) -> str:
    return f"{seat_name(seat)} ({policy.name})"
