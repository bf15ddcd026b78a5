"""What the games' drawings share: pieces of SVG, tables in plain text, the way from SVG to pixels.

Every helper returns a piece of SVG as a string; `picture` makes a document of them. Text is drawn
in the font of this package: pixels are the same on every machine and need no display.
"""

from collections.abc import Sequence
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import logger
from PIL import Image
from resvg_py import svg_to_bytes

RENDER_MODES = ("ansi", "rgb_array", "human")

FONT_FAMILY = "Source Sans Pro"
FONT_FILES = [
    str(Path(__file__).parent / "fonts" / f"SourceSansPro-{weight}.ttf")
    for weight in ("Regular", "Bold")
]
SEAT_COLOURS = ("#2f74c0", "#cf6a17", "#2e8b57", "#8a55c0", "#c43d5a")
NEUTRAL = "#6d7480"  # whatever belongs to no seat
BACKGROUND, PANEL, LINE = "#1d2430", "#283142", "#4a5569"
INK, PAPER, PALE, GOLD = "#1d2430", "#fdfaf2", "#b9c2d0", "#f2c14e"


def seat_name(seat: int) -> str:
    """Return the name a seat has in every interface: `player_0`, `player_1` and so on."""
    return f"player_{seat}"


def check_render_mode(render_mode: str | None) -> None:
    """Raise ValueError for a mode that no environment has."""
    if render_mode not in (None, *RENDER_MODES):
        allowed = ", ".join(RENDER_MODES)
        raise ValueError(f"render_mode must be None or one of {allowed}, not {render_mode!r}")


def render(state: Any, seat: int | None, render_mode: str | None) -> str | np.ndarray | None:
    """Draw what `seat` sees of a state, after the end what a spectator sees.

    `ansi` returns the text, `rgb_array` an (H, W, 3) uint8 picture, `human` prints the text; None
    only warns.
    """
    if render_mode is None:
        logger.warn(f"render() needs a render_mode at construction: {', '.join(RENDER_MODES)}")
        return None
    view = state.spectator_view() if state.over else state.view(seat)
    if render_mode == "rgb_array":
        return rgb_array(state.game.drawing.svg(view))
    text = state.game.drawing.text(view)
    if render_mode == "ansi":
        return text
    print(text)
    return None


def element(tag: str, *content: str, **attributes: object) -> str:
    """Return an SVG element around `content`, which is SVG; `_` in an attribute means `-`."""
    text = "".join(
        f' {name.strip("_").replace("_", "-")}="{escape(str(value))}"'
        for name, value in attributes.items()
    )
    return f"<{tag}{text}>{''.join(content)}</{tag}>"


def box(
    x: float,
    y: float,
    width: float,
    height: float,
    fill: str = PANEL,
    radius: float = 6,
    **attributes: object,
) -> str:
    """Return a rectangle with round corners."""
    return element("rect", x=x, y=y, width=width, height=height, rx=radius, fill=fill, **attributes)


def label(
    x: float,
    y: float,
    text: object,
    size: float = 14,
    fill: str = PAPER,
    anchor: str = "start",
    bold: bool = False,
) -> str:
    """Return a line of text with its baseline at `y`; `anchor`: start, middle or end."""
    weight = "bold" if bold else "normal"
    return element(
        "text",
        escape(str(text)),
        x=x,
        y=y,
        font_size=size,
        fill=fill,
        text_anchor=anchor,
        font_weight=weight,
    )


def tag(
    x: float,
    y: float,
    width: float,
    height: float,
    text: object,
    fill: str,
    ink: str = PAPER,
    size: float = 11,
) -> str:
    """Return a filled box with bold text in its middle."""
    return box(x, y, width, height, fill, radius=min(height / 4, 8)) + label(
        x + width / 2, y + height / 2 + 0.33 * size, text, size, ink, "middle", bold=True
    )


def card(
    x: float, y: float, width: float, height: float, face: str | None, edge: str = LINE
) -> str:
    """Return a card with `face` in its middle, or its back if `face` is None."""
    radius = width / 8
    if face is None:
        inner = box(x + 4, y + 4, width - 8, height - 8, "none", radius / 2, stroke="#8b6f47")
        content = box(x, y, width, height, "#5a3d2b", radius, stroke=edge) + inner
    else:
        size = min(0.6 * height, 0.56 * width, 1.35 * width / max(len(face), 1))
        front = box(x, y, width, height, PAPER, radius, stroke=edge, stroke_width=width / 16)
        middle = x + width / 2, y + height / 2 + 0.35 * size
        content = front + label(*middle, face, size, INK, "middle", bold=True)
    return element("g", content, class_="back" if face is None else "card")


def pile(x: float, y: float, width: float, height: float, count: int) -> str:
    """Return a face-down pile with its number of cards; an empty one is an outline."""
    if count:
        shadow = card(x + 3, y - 3, width, height, None) if count > 1 else ""
        back = shadow + card(x, y, width, height, None)
    else:
        back = empty_place(x, y, width, height)
    size = 0.5 * width
    return back + label(
        x + width / 2, y + height / 2 + 0.35 * size, count, size, PAPER, "middle", bold=True
    )


def empty_place(x: float, y: float, width: float, height: float) -> str:
    """Return the dashed outline of a place where a card may lie."""
    return box(x, y, width, height, "none", width / 8, stroke=LINE, stroke_dasharray="5 4")


def picture(width: int, height: int, title: str, *content: str) -> str:
    """Return a whole SVG document, `width` by `height` pixels, on the common background."""
    return element(
        "svg",
        element("title", escape(title)),
        box(0, 0, width, height, BACKGROUND, radius=0),
        *content,
        xmlns="http://www.w3.org/2000/svg",
        width=width,
        height=height,
        viewBox=f"0 0 {width} {height}",
        font_family=f"'{FONT_FAMILY}', 'Segoe UI', Helvetica, Arial, sans-serif",
    )


def rgb_array(svg: str) -> np.ndarray:
    """Return the pixels of an SVG document: uint8 [height, width, 3]."""
    png = svg_to_bytes(
        svg_string=svg, skip_system_fonts=True, font_files=FONT_FILES, font_family=FONT_FAMILY
    )
    return np.array(Image.open(BytesIO(png)).convert("RGB"))


def table(rows: Sequence[Sequence[object]]) -> list[str]:
    """Return a line a row, its columns aligned; all rows have the same number of cells."""
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
