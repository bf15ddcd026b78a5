"""State documents: what every game's document module shares."""

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

Model = TypeVar("Model", bound="Strict")


class Strict(BaseModel):
    """A part of a document: exactly these keys, with exactly these types."""

    model_config = ConfigDict(extra="forbid", strict=True)


def parse(model: type[Model], document: Mapping[str, Any]) -> Model:
    """Return the document as a model; a ValueError of one line names the key at fault."""
    if not isinstance(document, Mapping):
        raise ValueError(f"a document is a mapping, not {type(document).__name__}")
    try:
        return model.model_validate(dict(document))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"]))
        raise ValueError(f"{key}: {first['msg']}, not {first['input']!r:.80}") from None


def refuse(key: str, why: str) -> NoReturn:
    """Raise the ValueError of a document that is not consistent, naming one key."""
    raise ValueError(f"{key}: {why}")


def require(condition: bool, key: str, why: str) -> None:
    """Refuse the document unless `condition` holds."""
    if not condition:
        refuse(key, why)


def require_length(values: Sequence[Any], length: int, key: str) -> None:
    """Refuse a list of another length."""
    require(len(values) == length, key, f"must hold {length}, not {len(values)}")


def require_each_once(cards: Sequence[str], pack: Sequence[str], key: str) -> None:
    """Refuse cards that are not exactly those of `pack`; the message names one at fault."""
    missing = set(pack) - set(cards)
    if missing:
        refuse(key, f"card {min(missing)} is nowhere")
    require(len(cards) == len(pack), key, "a card is there twice")
