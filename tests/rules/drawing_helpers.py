"""What the tests of all games' drawings share."""

import xml.etree.ElementTree as ET

from emberdeck.envs import Game
from emberdeck.envs.drawing import BACKGROUND, rgb_array

SVG = "{http://www.w3.org/2000/svg}"
TAGS = {f"{SVG}{tag}" for tag in ("svg", "title", "g", "rect", "path", "text")}


def views(game: Game, document: dict) -> list[dict]:
    """Return all that can be drawn of a position: the whole, each seat's view, the spectator's."""
    state = game.from_dict(document)
    seats = [state.view(seat) for seat in range(state.players)]
    return [document, *seats, state.spectator_view()]


def svg_texts(picture: str, css_class: str) -> list[str]:
    """Return the text in each group of a class such as `card`."""
    groups = ET.fromstring(picture).iterfind(f".//{SVG}g[@class='{css_class}']")
    return ["".join(group.itertext()) for group in groups]


def section(drawn: str, title: str) -> list[str]:
    """Return the lines of a section of the text, its title included."""
    return next(part for part in drawn.split("\n\n") if part.startswith(title)).splitlines()


def assert_clean(game: Game, document: dict) -> None:
    """Check that text is plain and narrow, and the picture whole, with nothing from elsewhere."""
    for view in views(game, document):
        drawn = game.drawing.text(view)
        assert drawn.replace("\n", "").isprintable()  # so no colour codes
        assert max(map(len, drawn.splitlines())) <= 100
    picture = game.drawing.svg(document)
    root = ET.fromstring(picture)
    assert (root.get("width"), root.get("height")) == ("960", "720")
    assert {element.tag for element in root.iter()} <= TAGS
    assert "href" not in picture
    assert "url(" not in picture
    image = rgb_array(picture)
    assert image.shape == (720, 960, 3)
    background = [int(BACKGROUND[i : i + 2], 16) for i in (1, 3, 5)]
    for border in (image[:15], image[-15:], image[:, :15], image[:, -15:]):
        assert (border == background).all()  # nothing is cut off
    assert (image != background).any()
