"""`emberdeck export`: a checkpoint as a folder that other programs can play with."""

from pathlib import Path

from pydantic import AliasChoices, BaseModel, ConfigDict, Field
from pydantic_settings import CliPositionalArg

from ..policies.export import OPSET, OPSETS, export
from ..training.config import ConfigError


class Export(BaseModel):
    """Write a bot for other programs: `emberdeck export RUN@best -o bot`.

    The folder holds the network as ONNX, its card, golden vectors and two pages that explain it.
    """

    model_config = ConfigDict(extra="forbid")

    source: CliPositionalArg[str] = Field(
        description="the path of a checkpoint folder, RUN@latest or RUN@best"
    )
    output: Path = Field(
        validation_alias=AliasChoices("output", "o"), description="the folder to write"
    )
    opset: int = Field(
        OPSET, description=f"of ONNX, {OPSETS[0]} (for most engines) to {OPSETS[-1]}"
    )
    vectors: int = Field(100, ge=50, le=10_000, description="golden decisions to write")
    force: bool = Field(False, description="replace an exported bot in the output folder")

    def cli_cmd(self) -> None:
        """Export and say what was written; ConfigError for what cannot be exported."""
        try:
            card = export(self.source, self.output, self.opset, self.vectors, self.force)
        except ValueError as error:
            raise ConfigError(str(error)) from error
        except OSError as error:
            raise ConfigError(f"{self.output}: {error.strerror}") from error
        size = sum(file.stat().st_size for file in self.output.iterdir())
        print(
            f"{self.output}: {card['game']} step {card['step']:,}, opset {card['opset']}, "
            f"{self.vectors} golden vectors, {size / 1e6:.1f} MB"
        )
