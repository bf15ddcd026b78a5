"""A second, plain model of Pompiers!'s rules on documents, to compare the engine with.

Written from the printed rules and the rules page, for shortness, not for speed. What is drawn by
chance is taken from the engine's document after the action (`chance`), and checked.
"""

from copy import deepcopy

from .pompiers_documents import CARDS, COLOURS, POINTS, deck

NAMES = {"red": "R", "blue": "B", "yellow": "Y", "black": "K"}
LAST = {3: 4, 4: 5, 5: 5}


def rank(card):
    return int(card[1:])


def in_order(cards):
    return sorted(cards, key=CARDS.index)


def legal_names(d):
    """Return the names of the legal actions (6, 7)."""
    if d["over"]:
        return []
    hand = d["hands"][d["to_act"]]
    if d["phase"] == "place":
        return [f"place {card}" for card in hand]
    if d["phase"] == "trump":
        return [f"reveal {card}" for card in d["drawn"]]
    following = [card for card in hand if d["trick"] and card[0] == d["trick"][0][0]]
    return [f"play {card}" for card in following or hand]


def act(d, name, chance):
    """Do what the action says, in place (8)."""
    what, card = name.split()
    seat = d["to_act"]
    if what == "reveal":
        d["pile"].remove(card)
        d["trump_card"] = card
        d["phase"], d["to_act"] = "play", d["dealer"]
        return
    d["hands"][seat].remove(card)
    d["to_act"] = (seat + 1) % d["players"]
    if what == "place":
        d["placed"][seat] = card
        d["pile"].append(card)
        if None not in d["placed"]:
            find_trump(d, chance)
        return
    d["trick"].append(card)
    if len(d["trick"]) == d["players"]:
        finish_trick(d, chance)


def find_trump(d, chance):
    """Turn a card, or let the chooser draw (8.3)."""
    turned = [chance["trump_card"]] if d["chooser"] is None else []
    assert sorted(d["pile"]) == sorted(chance["pile"] + turned)
    d["pile"] = list(chance["pile"])
    if d["chooser"] is None:
        d["trump_card"] = chance["trump_card"]
        d["phase"], d["to_act"] = "play", d["dealer"]
    else:
        d["drawn"] = in_order(d["pile"][-3:])
        d["phase"], d["to_act"] = "trump", d["chooser"]


def finish_trick(d, chance):
    """Give the trick to its winner (8.5)."""
    trumps = [card for card in d["trick"] if card[0] == d["trump_card"][0]]
    led = [card for card in d["trick"] if card[0] == d["trick"][0][0]]
    best = max(trumps or led, key=rank)
    winner = (d["leader"] + d["trick"].index(best)) % d["players"]
    d["tricks"].append({"leader": d["leader"], "winner": winner, "cards": d["trick"]})
    d["trick"] = []
    d["leader"] = d["to_act"] = winner
    if len(d["tricks"]) == 10:
        finish_round(d, chance)


def trick_numbers(d, seat):
    return [number for number, trick in enumerate(d["tricks"], 1) if trick["winner"] == seat]


def cards_won(d, seat):
    return [card for trick in d["tricks"] if trick["winner"] == seat for card in trick["cards"]]


def pairs(numbers):
    return sum(number + 5 in numbers for number in numbers)


def longest_run(numbers):
    longest = now = 0
    for number in range(1, 11):
        now = now + 1 if number in numbers else 0
        longest = max(longest, now)
    return longest


def seats_with_most(values):
    """Return the seats with the largest value; a seat whose value is 0 or None does not count."""
    most = max(value or 0 for value in values)
    return [seat for seat, value in enumerate(values) if most and value == most]


def meets(d, tile):
    """Return the seats that meet a light green tile (2)."""
    seats = range(d["players"])
    kind, what = tile.split("_")
    if kind == "exactly":
        return [seat for seat in seats if len(trick_numbers(d, seat)) == int(what)]
    if kind == "trick":
        number = {"r": d["round"], "r5": d["round"] + 5}.get(what) or int(what)
        return [d["tricks"][number - 1]["winner"]]
    counts = [sum(card[0] == NAMES[what] for card in cards_won(d, seat)) for seat in seats]
    if kind == "most":
        return seats_with_most(counts)
    free = [len(trick_numbers(d, seat)) if not counts[seat] else None for seat in seats]
    return seats_with_most(free)


def finish_round(d, chance):
    """Check the missions, then go on or end (8.6)."""
    seats = range(d["players"])
    taken = [trick_numbers(d, seat) for seat in seats]
    runs = [longest_run(numbers) for numbers in taken]
    met = [
        [d["tricks"][9]["winner"]],
        [seat for seat in seats if not taken[seat]],
        meets(d, d["slot_tile"]),
        seats_with_most([pairs(numbers) for numbers in taken]),
        seats_with_most([run if run > 1 else 0 for run in runs]),
    ]
    basic = []
    for mission in range(5):
        left = [d["chips"][seat].count(False) for seat in met[mission]]
        may = met[mission]
        if mission != 1 and left:
            may = [seat for seat, n in zip(may, left, strict=True) if n == max(left)]
            may = may if len(may) == 1 else []
        flipped = [seat for seat in may if not d["chips"][seat][mission]]
        for seat in flipped:
            d["chips"][seat][mission] = True
        basic.append({"met": met[mission], "flipped": flipped})
    emergency = []
    for tile in d["emergency"]:
        who = meets(d, tile)
        winner = who[0] if len(who) == 1 else None
        (d["set_aside"] if winner is None else d["acquired"][winner]).append(tile)
        emergency.append({"tile": tile, "met": who, "winner": winner})
    d["emergency"] = []
    d["scores"] = scores_of(d)
    d["last_round"] = {
        "round": d["round"],
        "trump_card": d["trump_card"],
        "tricks": deepcopy(d["tricks"]),
        "basic": basic,
        "emergency": emergency,
    }
    if d["round"] == LAST[d["players"]]:
        d["over"], d["phase"], d["to_act"] = True, "over", None
        return
    trickless = [seat for seat in seats if not taken[seat]]
    d["chooser"] = trickless[0] if len(trickless) == 1 else None
    d["dealer"] = d["leader"]
    d["round"] += 1
    start_round(d, chance)


def scores_of(d):
    """Return the points by chips and tiles (9)."""
    return [
        5 * sum(chips) + sum(POINTS[tile] for tile in tiles)
        for chips, tiles in zip(d["chips"], d["acquired"], strict=True)
    ]


def start_round(d, chance):
    """Lay out the emergency tiles and deal (8.1)."""
    if d["round"] == LAST[d["players"]]:
        d["emergency"] = d["mission_pile"][::-1] + d["set_aside"]
        d["mission_pile"], d["set_aside"] = [], []
    else:
        count = 3 if d["players"] == 3 else d["round"]
        d["emergency"] = [d["mission_pile"].pop() for _ in range(count)]
    eleven = d["options"]["eleven_cards"] == "on"
    turned = [] if eleven or d["chooser"] is not None else [chance["trump_card"]]
    dealt = [*(card for hand in chance["hands"] for card in hand), *chance["pile"], *turned]
    assert sorted(dealt + chance["aside"]) == sorted(deck(d["players"]))
    assert [len(hand) for hand in chance["hands"]] == [10 + eleven] * d["players"]
    d["hands"] = [in_order(hand) for hand in chance["hands"]]
    d["aside"] = list(chance["aside"])
    d["placed"], d["drawn"], d["trump_card"] = [None] * d["players"], [], None
    d["trick"], d["tricks"], d["leader"] = [], [], d["dealer"]
    if eleven:
        assert len(d["aside"]) == d["players"]
        d["pile"], d["phase"], d["to_act"] = [], "place", d["dealer"]
    else:
        assert d["aside"] == []
        d["pile"] = chance["pile"] + turned
        find_trump(d, chance)


def standing_of(d):
    """Return what the seats are compared by: points, chips, tiles (9)."""
    rows = zip(d["scores"], d["chips"], d["acquired"], strict=True)
    return [(score, sum(chips), len(tiles)) for score, chips, tiles in rows]


def view_of(d, seat):
    """Return the document as `seat` sees it (11)."""
    view = deepcopy(d)
    for key in ("mission_pile", "pile", "aside"):
        view[key] = [None] * len(d[key])
    if d["chooser"] != seat:
        view["drawn"] = [None] * len(d["drawn"])
    for other in range(d["players"]):
        if other != seat:
            view["hands"][other] = [None] * len(d["hands"][other])
            view["placed"][other] = None
    return view


def voids_of(d):
    """Return the colours each seat failed to follow this round, as strings."""
    void = [""] * d["players"]
    for trick in [*d["tricks"], {"leader": d["leader"], "cards": d["trick"]}]:
        for turn, card in enumerate(trick["cards"]):
            led = trick["cards"][0][0]
            if card[0] != led:
                void[(trick["leader"] + turn) % d["players"]] += led
    return ["".join(c for c in COLOURS if c in colours) for colours in void]
