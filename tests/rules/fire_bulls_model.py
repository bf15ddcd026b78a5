"""Fire Bulls once more, on documents and as the rules page words it: slow, plain, independent.

Chance comes from a copy of the state's generator, so that a whole game can be compared.
"""

from collections import Counter
from copy import deepcopy
from itertools import combinations

from .fire_bulls_documents import COLOURS, COST, DIRECTIONS, LINES, POINTS, QI, YEN, score, spread


class Generator:
    """SplitMix64, and what the engine makes of its bits."""

    def __init__(self, bits):
        self.bits = int(bits)

    def below(self, bound):
        self.bits = (self.bits + 0x9E3779B97F4A7C15) % 2**64
        x = self.bits
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
        x ^= x >> 31
        return (x >> 32) * bound >> 32

    def shuffle(self, cards):
        for last in range(len(cards) - 1, 0, -1):
            other = self.below(last + 1)
            cards[last], cards[other] = cards[other], cards[last]


def is_payment(card, paid):
    """Tell whether these Qi cards pay for a Yen card, case by case (2)."""
    count = Counter(kind for kind in paid if kind != "*")
    most = sorted(count.values(), reverse=True)
    if len(paid) != COST[card]:
        return False
    if card[0] in "SW" and card != "W0":
        return set(count) <= {card[1]}
    if card in ("W0", "X"):
        return len(count) <= 1
    if card == "B":
        return max(most, default=0) <= 1
    if card == "K":
        return True
    first, second = (3, 2) if card == "V" else (4, 3)
    return len(most) <= 1 or (len(most) == 2 and most[0] <= first and most[1] <= second)


def next_cards(card, hand, paid):
    """Return what may be laid after `paid` so that a valid payment can be finished (6)."""
    found = set()
    for rest in set(combinations(hand, COST[card] - len(paid))):
        cards = [*paid, *rest]
        if rest and cards == sorted(cards, key=QI.index) and is_payment(card, cards):
            found.add(rest[0])
    return found


def limit(reach, bull, direction):
    if direction == "general":
        return 1
    distance = abs(DIRECTIONS.index(bull) - DIRECTIONS.index(direction))
    others = {"graded": max(3 - distance, 1), "strict": 1, "free": 3}
    return 3 if distance == 0 else others[reach]


def remove(cards, card):
    cards.remove(card)


def add(cards, card):
    cards.append(card)
    cards.sort(key=(QI if card in QI else YEN).index)


class Model:
    """A game in progress: the document `d` and a generator."""

    def __init__(self, document, bits):
        self.d = deepcopy(document)
        self.generator = Generator(bits)

    def target(self, direction):
        if direction == "general":
            return "G" if self.d["general"] == "aside" else None
        cards = [self.d["rows"][row][place] for row, place in LINES[direction]]
        return next((card for card in cards if card), None)

    def can_draw(self):
        return bool(self.d["qi_pile"] or (self.d["discard"] and self.d["finished"] < 3))

    def attacks(self):
        hand = self.d["hands"][self.d["to_act"]]
        targets = {way: self.target(way) for way in [*DIRECTIONS, "general"]}
        return [way for way, card in targets.items() if card and next_cards(card, hand, [])]

    def swap(self):
        full = len(self.d["hands"][self.d["to_act"]]) == 8
        return full and (len(self.d["display"]) > 3 or not self.can_draw())

    def legal(self):
        d, seat = self.d, self.d["to_act"]
        if d["over"]:
            return set()
        hand, attack = d["hands"][seat], d["attack"]
        if d["phase"] == "turn":
            names = {f"attack {way}" for way in self.attacks()}
            if self.can_draw():
                names |= {"draw stay"}
                names |= {"draw left"} if d["bulls"][seat] != "DL" else set()
                names |= {"draw right"} if d["bulls"][seat] != "DR" else set()
            if not (names and d["swapped"][seat] and self.swap()):
                names |= {f"take {kind}" for kind in d["display"]}
            return names
        if d["phase"] == "attack":
            kinds = next_cards(self.target(attack["dir"]), hand, attack["paid"])
            stop = {"stop"} if attack["beaten"] and not attack["paid"] else set()
            return {f"play {kind}" for kind in kinds} | stop
        if d["phase"] == "reward":
            return {"reward yes", "reward no"}
        if d["phase"] == "penalty":
            return {f"remove {card}" for card in self.earlier()}
        return {f"discard {kind}" for kind in hand}

    def earlier(self):
        return Counter(self.d["beaten"][self.d["to_act"]]) - Counter(self.d["attack"]["beaten"])

    def draw(self):
        d = self.d
        if not self.can_draw():
            return None
        if not d["qi_pile"]:
            d["pool"], d["qi_pile"] = list(d["discard"]), d["discard"]
            d["drawn"] = [[] for _ in d["drawn"]]
            d["discard"] = []
            self.generator.shuffle(d["qi_pile"])
        kind = d["qi_pile"].pop()
        d["finished"] += not d["qi_pile"]
        return kind

    def draw_to_hand(self):
        kind = self.draw()
        if kind:
            add(self.d["hands"][self.d["to_act"]], kind)
            add(self.d["drawn"][self.d["to_act"]], kind)

    def lose(self, seat, kind):
        remove(self.d["hands"][seat], kind)
        if kind in self.d["known"][seat]:
            remove(self.d["known"][seat], kind)

    def apply(self, name):
        d = self.d
        what, _, item = name.partition(" ")
        getattr(self, f"do_{what}")(item)
        d["scores"] = [score(*pair) for pair in zip(d["beaten"], d["colors"], strict=True)]

    def begin(self, swap):
        self.d["swapped"][self.d["to_act"]] = swap
        self.d["idle"] = self.d["idle"] + 1 if swap else 0

    def do_take(self, kind):
        d, seat = self.d, self.d["to_act"]
        self.begin(self.swap())
        remove(d["display"], kind)
        add(d["hands"][seat], kind)
        add(d["known"][seat], kind)
        if len(d["display"]) < 3:
            turned = self.draw()
            if turned:
                add(d["display"], turned)
                remove(d["pool"], turned)
        self.hand_limit()

    def do_draw(self, way):
        d, seat = self.d, self.d["to_act"]
        self.begin(False)
        self.draw_to_hand()
        if way != "stay":
            here = DIRECTIONS.index(d["bulls"][seat])
            there = DIRECTIONS[here + (1 if way == "right" else -1)]
            d["bulls"] = [DIRECTIONS[here] if bull == there else bull for bull in d["bulls"]]
            d["bulls"][seat] = there
        self.hand_limit()

    def hand_limit(self):
        if len(self.d["hands"][self.d["to_act"]]) > 8:
            self.d["phase"] = "discard"
        else:
            self.end_turn()

    def do_discard(self, kind):
        self.lose(self.d["to_act"], kind)
        add(self.d["display"], kind)
        self.end_turn()

    def do_attack(self, way):
        d = self.d
        self.begin(False)
        most = limit(d["options"]["reach"], d["bulls"][d["to_act"]], way)
        d["attack"] = {"dir": way, "limit": most, "beaten": [], "paid": [], "warriors": 0}
        d["phase"] = "attack"

    def do_play(self, kind):
        d, attack = self.d, self.d["attack"]
        self.lose(d["to_act"], kind)
        add(d["discard"], kind)
        attack["paid"].append(kind)
        attack["warriors"] += kind == "*"
        card = self.target(attack["dir"])
        if len(attack["paid"]) < COST[card]:
            return
        attack["paid"] = []
        add(d["beaten"][d["to_act"]], card)
        add(attack["beaten"], card)
        if card == "G":
            d["general"] = "beaten"
        else:
            row, place = next(at for at in LINES[attack["dir"]] if d["rows"][at[0]][at[1]])
            d["rows"][row][place] = None
        others = any(hand for seat, hand in enumerate(d["hands"]) if seat != d["to_act"])
        if (card == "B" and self.can_draw()) or (card in ("V", "G") and others):
            d["phase"], d["reward"] = "reward", card
        else:
            self.go_on()

    def do_reward(self, answer):
        d, card, seat = self.d, self.d["reward"], self.d["to_act"]
        d["reward"] = None
        if answer == "yes" and card == "B":
            self.draw_to_hand()
        elif answer == "yes":
            stolen = ["-"] * d["players"]
            for turn in range(1, d["players"]):
                other = (seat + turn) % d["players"]
                if not d["hands"][other]:
                    continue
                kind = d["hands"][other][self.generator.below(len(d["hands"][other]))]
                stolen[other] = kind
                if card == "V":
                    self.lose(other, kind)
                    add(d["discard"], kind)
                else:
                    remove(d["hands"][other], kind)
                    add(d["hands"][seat], kind)
                    known = Counter(d["known"][other])
                    d["known"][other] = spread(known - Counter(set(known)))
            if card == "G":
                d["stolen"] = {"by": seat, "cards": stolen}
        self.go_on()

    def go_on(self):
        d, attack = self.d, self.d["attack"]
        card = self.target(attack["dir"])
        hand = d["hands"][d["to_act"]]
        if card and len(attack["beaten"]) < attack["limit"] and next_cards(card, hand, []):
            d["phase"] = "attack"
        else:
            self.do_stop()

    def do_stop(self, _=""):
        d = self.d
        if d["attack"]["warriors"] and self.earlier():
            d["phase"] = "penalty"
            return
        if len(d["attack"]["beaten"]) == 3:
            self.draw_to_hand()
            self.draw_to_hand()
        self.end_turn()

    def do_remove(self, card):
        d = self.d
        remove(d["beaten"][d["to_act"]], card)
        add(d["removed"], card)
        d["attack"]["warriors"] -= 1
        self.do_stop()

    def end_turn(self):
        d = self.d
        d["attack"] = None
        for row, pile in enumerate(d["yen_piles"]):
            cards = [card for card in d["rows"][row] if card]
            while len(cards) < 3 and pile:
                card = pile.pop()
                if card == "G":
                    d["general"] = "aside"
                else:
                    cards.append(card)
            d["rows"][row] = cards + [None] * (3 - len(cards))
        if d["finished"] == 3:
            d["end"] = "escape"
        elif d["general"] == "beaten" and d["yen_piles"].count([]) >= 2:
            d["end"] = "general"
        elif d["idle"] >= 4 * d["players"]:
            d["end"] = "stall"
        else:
            d["phase"], d["to_act"] = "turn", (d["to_act"] + 1) % d["players"]
            return
        if d["end"] != "general":
            self.punish()
        d.update(phase="over", to_act=None, over=True)

    def punish(self):
        for cards, colour in zip(self.d["beaten"], self.d["colors"], strict=True):
            if cards:
                worst = min(cards, key=lambda c: (-POINTS[c], c == "B" or c[1:] == colour))
                remove(cards, worst)
                add(self.d["removed"], worst)

    def ranking(self):
        """Return what each seat is ranked by: points, then its cards from the highest (9)."""
        return [
            (points, sorted((POINTS[card] for card in cards if card != "K"), reverse=True))
            for points, cards in zip(self.d["scores"], self.d["beaten"], strict=True)
        ]


def all_hands(size):
    """Return every hand of at most so many cards."""
    hands = [[]]
    for _ in range(size):
        hands += [
            [*hand, kind]
            for hand in hands
            for kind in QI[QI.index(hand[-1]) if hand else 0 :]
            if hand.count(kind) < (4 if kind == "*" else 10)
        ]
        hands = list(map(list, dict.fromkeys(map(tuple, hands))))
    return hands


__all__ = ["COLOURS", "Generator", "Model", "all_hands", "is_payment", "limit", "next_cards"]
