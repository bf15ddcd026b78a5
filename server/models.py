"""What requests and answers look like; the OpenAPI document is made of it."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from .games import SEED_BITS

Name = Annotated[str, Field(min_length=1, max_length=100)]
Seat = Annotated[int, Field(ge=0, le=9)]
Count = Annotated[int, Field(ge=0, le=1_000_000)]
Seed = Annotated[int, Field(ge=0, lt=2**SEED_BITS)]


class Body(BaseModel):
    """A request: no unknown keys, no conversions."""

    model_config = ConfigDict(extra="forbid", strict=True)


class NewGame(Body):
    """A game to start."""

    game: Name = Field(description="its name, see /info", examples=["pumafiosi"])
    seats: list[Name] = Field(
        min_length=1,
        max_length=10,
        description="who sits where: human, or a policy's name",
        examples=[["human", "heuristic", "search:100"]],
    )
    options: dict[str, bool | int | str] = Field({}, description="the game's, see /info")
    seed: Seed | None = Field(
        None, description="whoever knows it knows the deal; null: one is drawn and told at the end"
    )
    local: bool = Field(
        True, description="one token for all people; false: a token for each, and no undo"
    )


class NewMove(Body):
    """A move of the seat that is to act."""

    action: Annotated[int, Field(ge=0, le=2**31)] | Name = Field(description="its id or its name")
    moves: Count = Field(description="how many moves are played, so that none is made twice")


class Undo(Body):
    """Take back the last move of a person, and all that followed."""

    moves: Count = Field(description="how many moves are played")


class BotMoves(Body):
    """Let the bots whose turn it is play."""

    limit: Annotated[int, Field(ge=1, le=1000)] | None = Field(
        None, description="so many moves; null: until a person is to act, or the end"
    )


class Question(Body):
    """Ask a policy what it would do."""

    policy: Name = Field(description="its name, see /info", examples=["search:400"])


class Position(Question):
    """A seat's view of a game that this server need not know, and a policy to decide."""

    game: Name = Field(examples=["pumafiosi"])
    seat: Seat = Field(description="the seat whose view it is, and which is to act")
    view: dict[str, Any] = Field(description="as /games/{id}/view gives it")
    seed: Seed = Field(0, description="of the policy's chance and of what the view hides")


class Option(BaseModel):
    """A rule variant."""

    default: bool | int | str
    values: list[bool | int | str]
    meaning: str


class GameInfo(BaseModel):
    """What is offered of a game."""

    game: str
    title: str
    version: int
    players: list[int]
    default_players: int
    options: dict[str, Option]
    actions: int = Field(description="number of action ids")
    policies: list[str] = Field(description="what may be named for a seat or asked")


class Info(BaseModel):
    """The server."""

    emberdeck_version: str
    games: list[GameInfo]


class Status(BaseModel):
    """What everybody may know of a game."""

    id: str
    game: str
    players: int
    options: dict[str, bool | int | str]
    seats: list[str]
    moves: int = Field(description="how many are played")
    to_act: int | None = Field(description="the acting seat, null when over")
    phase: str
    over: bool
    scores: list[int] | None = Field(description="when over")
    winners: list[int] | None = Field(description="when over")
    seed: int | None = Field(description="when over")
    seed_chosen: bool = Field(description="whoever started the game has named the seed")
    stalled: str | None = Field(description="why the bots do not go on, if they should")


class Token(BaseModel):
    """What `Authorization: Bearer TOKEN` takes; it is told only once."""

    token: str
    seats: list[int] = Field(description="the seats that it holds")


class Created(BaseModel):
    """A new game."""

    status: Status
    tokens: list[Token]


class Move(BaseModel):
    """A move; the action is null if it is another seat's secret."""

    number: int
    seat: int
    action: int | None
    name: str | None


class Played(BaseModel):
    """The game after a move, and the moves since then that bots have made so far."""

    status: Status
    moves: list[Move]


class Seen(BaseModel):
    """A view: null for everything hidden."""

    seat: int | None = Field(description="whose; null: a spectator's")
    moves: int = Field(description="how many moves were played")
    view: dict[str, Any]


class Action(BaseModel):
    """A legal action."""

    action: int
    name: str


class Actions(BaseModel):
    """What a seat may do now; nothing if it is not to act."""

    seat: int
    moves: int = Field(description="how many moves are played; a new move repeats it")
    actions: list[Action]


class Chance(Action):
    """A legal action and its probability."""

    probability: float


class Advice(BaseModel):
    """What a policy would do."""

    policy: str
    action: int
    name: str
    probabilities: list[Chance] | None = Field(
        description="a network's, or a search's share of visits; null: the policy has none"
    )
    value: float | None = Field(description="the reward `score` that the seat can expect")


class Replayed(BaseModel):
    """A checked record, and a state of it."""

    game: str
    players: int
    options: dict[str, bool | int | str]
    policies: list[str]
    moves: int = Field(description="how many the record holds")
    scores: list[int] | None = Field(description="null: the game was not finished")
    winners: list[int] | None
    seen: Seen


class Error(BaseModel):
    """Why a request is not granted, in one line."""

    detail: str


class Health(BaseModel):
    """The server is there."""

    status: Literal["ok"] = "ok"
