"""Which documents of Pompiers! are consistent (5 of docs/rules/pompiers.md)."""

from itertools import chain

from ..document import require, require_each_once, require_length
from .missions import (
    MISSION_2_7,
    NUM_MISSIONS,
    NUM_TRICKS,
    TILE_NAMES,
    TILE_POINTS,
    condition_of,
    who_meets,
)
from .rules import CHIP_POINTS, HAND_SIZE, num_rounds
from .schema import (
    INDEX,
    Document,
    LastRound,
    Trick,
    deck_of,
    drawn_cards,
    has_eleven,
    list_seats,
    not_followed,
    plays,
    taken,
    tiles_of,
    winning,
)


def check(d: Document) -> None:
    """Refuse a document that is not consistent (5)."""
    _check_lengths(d)
    _check_turn(d)
    _check_cards(d)
    _check_trump(d)
    _check_placed(d)
    _check_tricks(d.tricks, d.dealer, d.trump_card, d.players, "tricks")
    _check_following(d)
    _check_tiles(d)
    if d.last_round is not None:
        _check_last_round(d, d.last_round)


def _check_lengths(d: Document) -> None:
    for key in ("scores", "acquired", "chips", "hands", "placed"):
        require_length(getattr(d, key), d.players, key)
    for chips in d.chips:
        require_length(chips, NUM_MISSIONS, "chips")
    require(d.round <= num_rounds(d.players), "round", f"at most {num_rounds(d.players)}")
    for key in ("dealer", "leader", "chooser"):
        seat = getattr(d, key)
        is_seat = seat is None or 0 <= seat < d.players
        require(is_seat, key, f"there is no seat {seat}")
    require(d.round > 1 or d.chooser is None, "chooser", "must be null in round 1")
    require(len(d.tricks) <= NUM_TRICKS, "tricks", f"at most {NUM_TRICKS}")
    require(len(d.trick) < d.players, "trick", f"at most {d.players - 1} cards")


def _check_turn(d: Document) -> None:
    """Check phase and acting seat (6)."""
    require(d.over == (d.phase == "over"), "over", f"does not fit phase {d.phase!r}")
    leader = d.tricks[-1].winner if d.tricks else d.dealer
    require(d.leader == leader, "leader", f"must be {leader}: the dealer or the last winner")
    turns = {
        "place": (d.dealer + len(d.pile)) % d.players,
        "trump": d.chooser,
        "play": (d.leader + len(d.trick)) % d.players,
        "over": None,
    }
    require(d.phase != "place" or has_eleven(d), "phase", "nobody places without eleven cards")
    require(d.phase != "trump" or d.chooser is not None, "chooser", "must be the seat to act")
    require(d.to_act == turns[d.phase], "to_act", f"must be {turns[d.phase]}")
    if d.phase in ("place", "trump"):
        require(not d.tricks, "tricks", f"none in phase {d.phase}")
        require(not d.trick, "trick", f"must be empty in phase {d.phase}")
    if d.over:
        require(d.round == num_rounds(d.players), "round", "must be the last when over")
        require(not d.trick, "trick", "must be empty when over")
        require(not d.emergency, "emergency", "must be empty when over")
    finished = len(d.tricks) == NUM_TRICKS
    require(d.over == finished, "tricks", f"ten when over, fewer before, not {len(d.tricks)}")


def _check_cards(d: Document) -> None:
    known = d.phase in ("play", "over")
    require((d.trump_card is not None) == known, "trump_card", f"does not fit phase {d.phase!r}")
    played = [*d.trick, *chain(*(trick.cards for trick in d.tricks))]
    turned = [d.trump_card] if d.trump_card else []
    pack = deck_of(d.players)
    require_each_once([*chain(*d.hands), *d.pile, *d.aside, *turned, *played], pack, "hands")
    for seat, hand in enumerate(d.hands):
        turn = (seat - d.leader) % d.players
        size = HAND_SIZE - len(d.tricks) - (turn < len(d.trick))
        if d.phase == "place":
            size += (seat - d.dealer) % d.players >= len(d.pile)
        require_length(hand, size, "hands")
        require(hand == sorted(hand, key=INDEX.__getitem__), "hands", "must be in index order")
    undealt = len(pack) - d.players * (HAND_SIZE + has_eleven(d))
    require_length(d.aside, undealt if has_eleven(d) else 0, "aside")
    if d.phase != "place":
        total = d.players if has_eleven(d) else undealt
        require_length(d.pile, total - len(turned), "pile")


def _check_trump(d: Document) -> None:
    """Check the three drawn cards (8.3, 8.4)."""
    if d.chooser is None or d.phase == "place":
        require(not d.drawn, "drawn", "must be empty: nobody has drawn")
        return
    expected = drawn_cards(d.pile, d.trump_card)
    require(d.drawn == expected, "drawn", f"must be {expected}: end of the pile and trump card")


def _check_placed(d: Document) -> None:
    """Check what each seat placed against the pile (8.2)."""
    placed = [card for card in d.placed if card is not None]
    if not has_eleven(d):
        require(not placed, "placed", "must be null without eleven cards")
    elif d.phase == "place":
        turns = [d.placed[(d.dealer + turn) % d.players] for turn in range(d.players)]
        in_order = [*d.pile, *[None] * (d.players - len(d.pile))]
        require(turns == in_order, "placed", "must be the pile, from the dealer clockwise")
    else:
        lying = sorted([*d.pile, *([d.trump_card] if d.trump_card else [])])
        require(sorted(placed) == lying, "placed", "must be the pile and the trump card")


def _check_tricks(
    tricks: list[Trick], leader: int, trump_card: str | None, players: int, key: str
) -> None:
    """Check who led and won each of these finished tricks (8.5)."""
    for number, trick in enumerate(tricks, 1):
        require_length(trick.cards, players, key)
        require(trick.leader == leader, key, f"trick {number} must be led by seat {leader}")
        winner = (leader + winning(trick.cards, str(trump_card))) % players
        require(trick.winner == winner, key, f"trick {number} must be won by seat {winner}")
        leader = winner


def _check_following(d: Document) -> None:
    """Check that nobody holds a colour, or played it later, that it did not follow (6)."""
    void = not_followed(d)
    for seat, hand in enumerate(d.hands):
        wrong = [card for card in hand if card[0] in void[seat]]
        require(not wrong, "hands", f"seat {seat} did not follow colour and cannot hold {wrong}")
    before: list[set[str]] = [set() for _ in range(d.players)]
    for seat, card, led in plays(d):
        honest = card[0] not in before[seat]
        require(honest, "tricks", f"seat {seat} played {card}, a colour it did not follow")
        if card[0] != led[0]:
            before[seat].add(led[0])


def _check_tiles(d: Document) -> None:
    """Check that every tile is in one place and the scores fit chips and tiles (9)."""
    tiles = [d.slot_tile, *d.mission_pile, *d.emergency, *d.set_aside, *chain(*d.acquired)]
    in_play = tiles_of(d.players)
    missing = set(in_play) - set(tiles)
    require(not missing, "mission_pile", f"tile {min(missing, default='')} is nowhere")
    twice = "a tile is there twice, or not used with 3 seats"
    require(len(tiles) == len(in_play), "mission_pile", twice)
    scores = [
        CHIP_POINTS * sum(chips) + sum(int(TILE_POINTS[TILE_NAMES.index(tile)]) for tile in own)
        for chips, own in zip(d.chips, d.acquired, strict=True)
    ]
    require(d.scores == scores, "scores", f"must be {scores}: chips and tiles")


def _check_last_round(d: Document, last: LastRound) -> None:
    """Check the record of the last finished round (8.6)."""
    key = "last_round"
    require(last.round == d.round - (not d.over), key, "must be of the round before")
    require_length(last.tricks, NUM_TRICKS, key)
    require(0 <= last.tricks[0].leader < d.players, key, "trick 1 has no leader")
    _check_tricks(last.tricks, last.tricks[0].leader, last.trump_card, d.players, key)
    cards = [last.trump_card, *chain(*(trick.cards for trick in last.tricks))]
    require(set(cards) <= set(deck_of(d.players)), key, "a card is not in the deck in use")
    require(len(cards) == len(set(cards)), key, "a card is there twice")
    _check_missions(d, last)
    if d.over:
        same = last.tricks == d.tricks and last.trump_card == d.trump_card
        require(same, key, "must be of this round when over")
        return
    require(d.dealer == last.tricks[-1].winner, "dealer", "must have won the last trick before")
    trickless = sorted(set(range(d.players)) - {trick.winner for trick in last.tricks})
    chooser = trickless[0] if len(trickless) == 1 else None
    require(d.chooser == chooser, "chooser", f"must be {chooser}: the only seat without a trick")


def _check_missions(d: Document, last: LastRound) -> None:
    """Check who met, flipped and won what in the last finished round (2, 8.6)."""
    key = "last_round"
    rooms, collected = taken(last.tricks, d.players)
    slot = TILE_NAMES.index(d.slot_tile)

    def meeting(condition: int) -> list[int]:
        return list_seats(who_meets(condition, last.round, d.players, rooms, collected))

    require_length(last.basic, NUM_MISSIONS, key)
    for mission, basic in enumerate(last.basic):
        met = meeting(condition_of(mission, slot))
        require(basic.met == met, key, f"basic mission {mission}: met must be {met}")
        flipped = [seat for seat in met if d.chips[seat][mission] and seat in basic.flipped]
        may = mission == MISSION_2_7 or len(flipped) <= 1
        fits = basic.flipped == flipped and may
        require(fits, key, f"basic mission {mission}: flipped does not fit")
    tiles = [one.tile for one in last.emergency]
    require(len(tiles) == len(set(tiles)), key, "a tile is there twice")
    for one in last.emergency:
        met = meeting(TILE_NAMES.index(one.tile))
        require(one.met == met, key, f"{one.tile}: met must be {met}")
        winner = met[0] if len(met) == 1 else None
        require(one.winner == winner, key, f"{one.tile}: winner must be {winner}")
        left = [*d.emergency, *d.set_aside] if winner is None else d.acquired[winner]
        require(one.tile in left, key, f"{one.tile} is not where it belongs after that")
