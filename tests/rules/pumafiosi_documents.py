"""Hand-made Pumafiosi documents and short names for what tests ask of them."""

from itertools import chain

from emberdeck.envs import GAMES

GAME = GAMES["pumafiosi"]
VALUES = [10, 8, 7, 6, 5, 3, 2, 1, -3]
KINDS = ["machine_gun", "vest", "notebook", "ring"]


def position(
    players,
    hands,
    steps="",
    table=None,
    tony=None,
    start=0,
    act=None,
    phase="play",
    items=None,
    games=1,
    game=1,
    wealth=None,
    penalty=None,
    ages=None,
):
    """Build a complete, consistent document from what matters in it.

    `hands` is one string a seat, `steps` the hierarchy as `value:card/owner[/item[/co_owner]]`
    (owner `T` is Tony), `table` the cards already played (`-` none, `g` machine gun), `items` one
    string a seat. The round is the number of entries + 1. Cards not mentioned are filled in from
    the smallest: earlier plays, Tony's plays, piles, deck.
    """
    column, own, tonys = [[] for _ in VALUES], [[] for _ in range(players)], []
    for text in steps.split():
        value, entry = text.split(":")
        card, owner, item, co = [*entry.split("/"), "", ""][:4]
        owner = None if owner == "T" else int(owner)
        co = int(co) if co else None
        column[VALUES.index(int(value))].append(
            {"card": card, "owner": owner, "item": item or None, "co_owner": co}
        )
        if owner is None or (item == "ring" and co is None):
            tonys.append(card)
        else:
            own[owner].append(card)
    before = sum(len(step) for step in column)  # rounds played
    lying = [None] * players
    for seat, text in enumerate((table or "").split()):
        if text != "-":
            lying[seat] = {"card": text.rstrip("g"), "gun": text.endswith("g")}
    hands = [sorted(hand.split(), key=int) for hand in hands]
    used = [
        *chain(*hands, *own),
        *tonys,
        *(x["card"] for x in lying if x),
        *([tony] if tony else []),
    ]
    assert len(used) == len(set(used))
    rest = [str(n) for n in range(1, 56) if str(n) not in used]

    def take(count):
        return [rest.pop(0) for _ in range(count)]

    played = [
        cards + take(before - len(cards)) + ([x["card"]] if x else [])
        for cards, x in zip(own, lying, strict=True)
    ]
    tony_played = tonys + take(before - len(tonys)) + [tony] if players == 2 else []
    piles = [take(max(0, 7 - len(cards))) for cards in played]
    assert all(len(a) + len(b) + len(c) == 10 for a, b, c in zip(hands, piles, played, strict=True))
    wealth, penalty = wealth or [0] * players, penalty or [0] * players
    if act is None:
        act = next(s % players for s in range(start, start + players) if not lying[s % players])
    return {
        "game": "pumafiosi",
        "players": players,
        "options": {"items": items is not None, "games": games},
        "to_act": act,
        "phase": phase,
        "over": False,
        "scores": [a - b for a, b in zip(wealth, penalty, strict=True)],
        "wealth": wealth,
        "penalty": penalty,
        "items": [
            [kind for kind in KINDS if text == "all" or kind in text.split()]
            for text in items or [""] * players
        ],
        "age_order": ages or list(range(players)),
        "game_number": game,
        "round": before + 1,
        "start_seat": start,
        "hands": hands,
        "piles": piles,
        "deck": rest,
        "future_decks": [[str(n) for n in range(55, 0, -1)] for _ in range(games - game)],
        "table": lying,
        "tony_card": tony,
        "played": played,
        "tony_played": tony_played,
        "hierarchy": column,
        "ring_target": None,
    }


def steps(document):
    """Return the hierarchy in the notation of `position`."""
    out = []
    for value, step in zip(VALUES, document["hierarchy"], strict=True):
        for entry in step:
            parts = [entry["card"], "T" if entry["owner"] is None else str(entry["owner"])]
            if entry["item"]:
                parts.append(entry["item"])
            if entry["co_owner"] is not None:
                parts.append(str(entry["co_owner"]))
            out.append(f"{value}:{'/'.join(parts)}")
    return " ".join(out)


def legal(document):
    """Return the names of the legal actions, in the order of their ids."""
    return [GAME.action_names[action] for action in GAME.from_dict(document).legal_actions()]


def run(document, *names):
    """Return the document after these actions."""
    state = GAME.from_dict(document)
    for name in names:
        state.apply(GAME.action_id(name))
    return state.to_dict()


def winners(document):
    """Return the seats that won."""
    return GAME.from_dict(document).winners()


def rewards(document, kind):
    """Return the rewards of all seats."""
    return GAME.from_dict(document).rewards(kind)


def view(document, seat):
    """Return what `seat` may know."""
    return GAME.from_dict(document).view(seat)


def observe(document, seat):
    """Return the observation of `seat` as lists by block name."""
    values = GAME.from_dict(document).observation(seat).tolist()
    return {
        block.name: values[block.offset : block.offset + block.length]
        for block in GAME.observation_blocks
    }
