"""The pieces that the games' drawings share."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from emberdeck.envs import drawing

SVG = "{http://www.w3.org/2000/svg}"


def pixels(*content, width=60, height=40):
    return drawing.rgb_array(drawing.picture(width, height, "test", *content))


def rgb(colour):
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def test_pixels_are_rows_of_rgb():
    image = pixels(drawing.box(10, 20, 30, 10, "#ff8000", radius=0))
    assert image.shape == (40, 60, 3)
    assert image.dtype == np.uint8
    assert image.flags.writeable
    assert image[25, 20].tolist() == [255, 128, 0]
    assert image[5, 20].tolist() == rgb(drawing.BACKGROUND)


@pytest.mark.parametrize("bold", [False, True])
def test_text_is_drawn_in_the_packaged_font_alone(monkeypatch, bold):
    words = drawing.label(5, 30, "Tony", 20, bold=bold)
    blank, written = pixels(), pixels(words)
    assert (written != blank).any()
    assert (pixels(drawing.label(5, 30, "Tony", 20, bold=not bold)) != written).any()
    monkeypatch.setattr(drawing, "FONT_FILES", [])
    assert (pixels(words) == blank).all()


def test_fonts_of_the_machine_are_not_used():
    skull, rook = (pixels(drawing.label(5, 30, sign, 20)) for sign in "☠♜")
    assert (skull == rook).all()  # the packaged font has neither


def test_text_and_attributes_are_escaped():
    words = """<b> & "q" 'a' </b>"""
    root = ET.fromstring(
        drawing.picture(10, 10, words, drawing.label(1, 2, words), drawing.element("g", id=words))
    )
    assert root.findtext(f"{SVG}title") == words
    assert root.findtext(f"{SVG}text") == words
    assert [group.get("id") for group in root.iter(f"{SVG}g")] == [words]


def test_attribute_names():
    assert drawing.element("g", "<a/>", class_="x", font_size=3) == (
        '<g class="x" font-size="3"><a/></g>'
    )


def test_a_back_shows_nothing():
    front, back = drawing.card(0, 0, 30, 40, "17"), drawing.card(0, 0, 30, 40, None)
    assert ET.fromstring(front).findtext("text") == "17"
    assert ET.fromstring(back).find("text") is None
    assert (pixels(front) != pixels(back)).any()


@pytest.mark.parametrize(("count", "backs"), [(0, 0), (1, 1), (2, 2), (34, 2)])
def test_pile_shows_its_size(count, backs):
    piece = ET.fromstring(f"<g>{drawing.pile(5, 5, 30, 40, count)}</g>")
    assert piece.findtext("text") == str(count)
    assert len(piece.findall("g[@class='back']")) == backs


def test_seats_have_names_and_colours_of_their_own():
    assert [drawing.seat_name(seat) for seat in (0, 4)] == ["player_0", "player_4"]
    assert len({*drawing.SEAT_COLOURS, drawing.NEUTRAL, drawing.PANEL}) == 7


def test_table_aligns_columns():
    assert drawing.table([("a", 10, ""), ("long", 2, "x")]) == ["a     10", "long  2   x"]
    with pytest.raises(ValueError, match="zip"):
        drawing.table([("a", "b"), ("c",)])
