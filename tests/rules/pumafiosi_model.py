"""A second, plain model of Pumafiosi's rules on documents, to compare the engine with.

Written from the printed rules and the rules page, for shortness, not for speed.
"""

from copy import deepcopy

from .pumafiosi_documents import VALUES

CASUALTY = len(VALUES) - 1


def number(entry):
    return int(entry["card"])


def seats_of(entry):
    return {entry["owner"], entry["co_owner"]} - {None}


def legal_names(d):
    """Return the names of the legal actions (6, 7)."""
    if d["over"]:
        return []
    items = d["items"][d["to_act"]]
    if d["phase"] == "ring":
        return ["give ring", "keep ring"]
    if d["phase"] == "play":
        names = [f"play {card}" for card in d["hands"][d["to_act"]]]
        return names + [f"{name} with machine gun" for name in names if "machine_gun" in items]
    card = number(d["table"][d["to_act"]])
    free = [
        f"place at {value}"
        for value, there in zip(VALUES, d["hierarchy"], strict=True)
        if value == -3 or not there or number(there[0]) < card
    ]
    kinds = [kind for kind in ("vest", "notebook") if kind in items]
    return free + [f"{name} with {kind}" for kind in kinds for name in free]


def act(d, name):
    """Do what the action says, in place (8)."""
    what, _, item = name.partition(" with ")
    if what.startswith("play"):
        play(d, what.removeprefix("play "), bool(item))
    elif what.startswith("place"):
        place(d, VALUES.index(int(what.removeprefix("place at "))), item or None)
    else:
        ring(d, what == "give ring")
    d["scores"] = [a - b for a, b in zip(d["wealth"], d["penalty"], strict=True)]


def play(d, card, gun):
    seat = d["to_act"]
    d["hands"][seat].remove(card)
    d["table"][seat] = {"card": card, "gun": gun}
    d["played"][seat].append(card)
    if gun:
        d["items"][seat].remove("machine_gun")
    if d["piles"][seat]:
        d["hands"][seat].append(d["piles"][seat].pop())
        d["hands"][seat].sort(key=int)
    d["to_act"] = (seat + 1) % d["players"]
    if d["table"][d["to_act"]] is not None:
        resolve(d)


def resolve(d):
    strengths: list = [(number(x) + 10.5 * x["gun"], seat) for seat, x in enumerate(d["table"])]
    if d["tony_card"]:
        strengths.append((int(d["tony_card"]), None))
    _, winner = sorted(strengths)[-2]
    if winner is not None:
        d["phase"], d["to_act"] = "place", winner
        return
    entry = {"card": d["tony_card"], "owner": None, "item": None, "co_owner": None}
    heights = [number(there[0]) if there else 0 for there in d["hierarchy"][:CASUALTY]]
    lower = [step for step, height in enumerate(heights) if height < number(entry)]
    enter(d, entry, min(lower, default=CASUALTY))
    end_round(d, 1 - d["start_seat"])


def enter(d, entry, step):
    """Put the entry on the step; one that has to give way is charged and enters the next step."""
    there = d["hierarchy"][step]
    if step == CASUALTY or not there:
        there.append(entry)
        return
    lower, higher = sorted([entry, there[0]], key=number)
    d["hierarchy"][step] = [higher]
    for seat in seats_of(lower):
        d["penalty"][seat] += {"vest": 0, "notebook": 2}.get(lower["item"], 1)
    enter(d, lower, step + 1)


def place(d, step, item):
    seat = d["to_act"]
    card = d["table"][seat]["card"]
    bumped = d["hierarchy"][step][0] if d["hierarchy"][step] and step != CASUALTY else None
    if item:
        d["items"][seat].remove(item)
    d["table"], d["tony_card"] = [None] * d["players"], None
    enter(d, {"card": card, "owner": seat, "item": item, "co_owner": None}, step)
    if bumped and not bumped["item"] and bumped["owner"] != seat and "ring" in d["items"][seat]:
        d["phase"], d["ring_target"] = "ring", bumped["card"]
    else:
        end_round(d, seat)


def ring(d, give):
    seat = d["to_act"]
    if give:
        d["items"][seat].remove("ring")
        (entry,) = [e for there in d["hierarchy"] for e in there if e["card"] == d["ring_target"]]
        entry["item"] = "ring"
        entry["owner" if entry["owner"] is None else "co_owner"] = seat
    end_round(d, seat)


def end_round(d, leader):
    d["table"], d["tony_card"], d["ring_target"] = [None] * d["players"], None, None
    if d["round"] < 10:
        d["round"] += 1
        start_round(d, leader)
        return
    score(d)
    if d["game_number"] == d["options"]["games"]:
        d["over"], d["phase"], d["to_act"] = True, "over", None
        return
    net = [a - b for a, b in zip(d["wealth"], d["penalty"], strict=True)]
    by_age = [seat for seat in d["age_order"] if net[seat] == max(net)]
    d["game_number"] += 1
    d["round"] = 1
    d["hierarchy"] = [[] for _ in VALUES]
    d["played"], d["tony_played"] = [[] for _ in net], []
    deck = d["future_decks"].pop(0)
    for seat in range(d["players"]):
        d["hands"][seat] = sorted((deck.pop() for _ in range(3)), key=int)
        d["piles"][seat] = [deck.pop() for _ in range(7)]
    d["deck"] = deck
    start_round(d, by_age[1] if len(by_age) > 1 else by_age[0])


def start_round(d, leader):
    d["phase"], d["to_act"], d["start_seat"] = "play", leader, leader
    if d["players"] == 2:
        d["tony_card"] = d["deck"].pop()
        d["tony_played"].append(d["tony_card"])


def score(d):
    """Score the column and keep the net points (9)."""
    for seat in range(d["players"]):
        gained = [
            value * (2 if entry["item"] == "notebook" else 1)
            for value, there in zip(VALUES, d["hierarchy"], strict=True)
            for entry in there
            if seat in seats_of(entry)
        ]
        d["wealth"][seat] += sum(points for points in gained if points > 0)
        d["penalty"][seat] += sum(-points for points in gained if points < 0) if gained else 10
        both = min(d["wealth"][seat], d["penalty"][seat])
        d["wealth"][seat] -= both
        d["penalty"][seat] -= both


def standing_of(d):
    """Return what the seats are compared by: points, then the topmost card (9, R21)."""
    tops = [
        min(
            (
                s
                for s, there in enumerate(d["hierarchy"])
                if any(seat in seats_of(e) for e in there)
            ),
            default=CASUALTY + 1,
        )
        for seat in range(d["players"])
    ]
    return [(score, -top) for score, top in zip(d["scores"], tops, strict=True)]


def view_of(d, seat):
    """Return the document as `seat` sees it (11)."""
    view = deepcopy(d)
    for key in ("hands", "piles", "future_decks"):
        view[key] = [[None] * len(cards) for cards in d[key]]
    view["deck"] = [None] * len(d["deck"])
    view["hands"][seat] = list(d["hands"][seat])
    return view
