"""A second, plain model of Pompeji's rules on documents, to compare the engine with.

Written from the rules page, for shortness, not for speed.
"""

from copy import deepcopy
from itertools import product

from .pompeji_documents import BUILDINGS, COLOURS, DIRECTIONS, in_order

SIDES = ((0, 1), (0, -1), (1, 0), (-1, 0))


def number(card, values):
    building, colour = BUILDINGS.index(card[0]), COLOURS.index(card[1])
    return building + 1 if values == "building" else (building + colour) % 7 + 1


class Town:
    """The town of a document (or a view), by (row, column)."""

    def __init__(self, d):
        self.values = d["options"]["values"]
        self.at = {divmod(cell, 13): item for cell, item in d["town"]}

    def beside(self, place):
        around = [(place[0] + down, place[1] + right) for down, right in SIDES]
        return [self.at[other] for other in around if other in self.at]

    def free(self):
        """Return the free cells as (row, column) (6)."""
        rows, columns = zip(*self.at, strict=True)
        return [
            (row, column)
            for row, column in product(range(13), range(13))
            if (row, column) not in self.at
            and self.beside((row, column))
            and max(*rows, row) - min(*rows, row) < 7
            and max(*columns, column) - min(*columns, column) < 7
        ]

    def fits(self, place, card):
        others = [other for other in self.beside(place) if other != "S"]
        return card == "S" or not any(a[0] == card[0] or a[1] == card[1] for a in others)

    def cells_for(self, card):
        return [place for place in self.free() if self.fits(place, card)]

    def declarations(self, place):
        """Return the buildings and the colours that a statue may declare there."""
        shown = "".join(other for other in self.beside(place) if other != "S")
        return [b for b in BUILDINGS if b not in shown], [c for c in COLOURS if c not in shown]

    def road(self, place, direction):
        """Return the other cards of the road through a cell."""
        cards = []
        for sign in (1, -1):
            row, column = place
            while True:
                row, column = row + sign * direction[0], column + sign * direction[1]
                if (row, column) not in self.at:
                    break
                cards.append(self.at[row, column])
        return cards

    def points(self, place, card, own=None):
        """Return what a card brings (9); `own` is the number of a statue declared as that card."""
        own = own or number(card, self.values)
        total = 0
        for direction in DIRECTIONS:
            road = self.road(place, direction)
            buildings = [c for c in road if c[0] == card[0] and c != "S"]
            colours = [c for c in road if c != "S" and c[1] == card[1]]
            if buildings:
                total += own + sum(number(c, self.values) for c in buildings)
            if colours:
                total += max(own, *(number(c, self.values) for c in colours))
            if len(road) == 6:
                total += 7
        return total

    def statue_points(self, place, building=None, colour=None):
        """Return the most a statue brings there, as far as it is not declared."""
        buildings, colours = self.declarations(place)
        return max(
            self.points(place, b + c, own=1)
            for b in ([building] if building else buildings)
            for c in ([colour] if colour else colours)
        )


def placeable(d, seat):
    town = Town(d)
    return [card for card in d["hands"][seat] if town.cells_for(card)]


def statue_ready(d, seat):
    return d["statues"][seat] > 0 and bool(Town(d).free())


def able(d, seat):
    return statue_ready(d, seat) or bool(placeable(d, seat))


def legal_names(d):
    """Return the names of the legal actions, in the order of their ids (6, 7)."""
    seat, phase = d["to_act"], d["phase"]
    if phase == "play":
        can = placeable(d, seat)
        names = [f"play {card}" for card in can] + ["statue"] * statue_ready(d, seat)
        if not can and not d["extra"]:
            names += [f"discard {card}" for card in d["hands"][seat]]
        return names
    if phase == "cell":
        return [f"cell {row},{column}" for row, column in Town(d).cells_for(d["card"])]
    if phase in ("building", "colour"):
        letters = Town(d).declarations(divmod(d["cell"], 13))[phase == "colour"]
        return [f"{phase} {letter}" for letter in letters]
    return {"draw": ["draw", "no draw"], "permit": ["permit", "pass"], "over": []}[phase]


def act(d, name):
    """Do what the action says, in place (8)."""
    what, _, argument = name.partition(" ")
    seat = d["to_act"]
    if name == "permit":
        d["permits"][seat] -= 1
        d["extra"], d["phase"] = True, "play"
    elif name == "pass":
        order = window(d)
        ask(d, order[order.index(seat) + 1 :])
    elif what in ("play", "statue"):
        d["card"], d["phase"] = argument or "S", "cell"
    elif what == "discard":
        d["hands"][seat].remove(argument)
        d["discards"] = in_order([*d["discards"], argument])
        draw_step(d)
    elif what == "cell":
        row, column = map(int, argument.split(","))
        if d["card"] == "S":
            d["cell"], d["phase"] = 13 * row + column, "building"
            return
        d["scores"][seat] += Town(d).points((row, column), d["card"])
        d["hands"][seat].remove(d["card"])
        put(d, 13 * row + column, d["card"])
        draw_step(d)
    elif what == "building":
        d["building"], d["phase"] = argument, "colour"
    elif what == "colour":
        place = divmod(d["cell"], 13)
        d["scores"][seat] += Town(d).statue_points(place, d["building"], argument)
        d["statues"][seat] -= 1
        put(d, d["cell"], "S")
        end_turn(d)
    elif name == "draw":
        draw(d)
    else:
        end_turn(d)


def put(d, cell, item):
    d["town"] = sorted([*d["town"], [cell, item]])
    d["card"] = d["cell"] = d["building"] = None


def draw_step(d):
    if d["volcanoes"] == 0 or not d["hands"][d["to_act"]]:
        draw(d)
    else:
        d["phase"] = "draw"


def draw(d):
    card = d["stack"].pop() if d["stack"] else "volcano"
    if card != "volcano":
        d["hands"][d["to_act"]] = in_order([*d["hands"][d["to_act"]], card])
        end_turn(d)
        return
    d["volcanoes"] += 1
    if d["volcanoes"] == 1:
        draw_step(d)
        return
    for seat, hand in enumerate(d["hands"]):
        d["scores"][seat] -= sum(number(card, d["options"]["values"]) for card in hand)
    d["over"], d["phase"], d["to_act"] = True, "over", None


def window(d):
    n, players = d["turn"], d["players"]
    order = {2: [n - 1], 3: [n - 1, n + 1], 4: [n - 1, n + 1, n + 2]}[players]
    return [seat % players for seat in order]


def ask(d, seats):
    for seat in seats:
        if d["permits"][seat] and able(d, seat):
            d["phase"], d["to_act"] = "permit", seat
            return
    d["phase"], d["to_act"] = "play", d["turn"]


def end_turn(d):
    if d["extra"]:
        d["extra"], d["phase"], d["to_act"] = False, "play", d["turn"]
    else:
        d["turn"] = (d["turn"] + 1) % d["players"]
        ask(d, window(d))


def view_of(d, seat):
    """Return the document as `seat` sees it, or with None a spectator (11)."""
    view = deepcopy(d)
    view["stack"] = [None] * len(d["stack"])
    if not d["over"]:
        view["hands"] = [
            hand if other == seat else [None] * len(hand) for other, hand in enumerate(d["hands"])
        ]
        if d["to_act"] != seat:
            view["card"] = view["cell"] = view["building"] = None
    return view
