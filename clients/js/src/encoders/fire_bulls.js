/** Fire Bulls: a seat's view as the observation of docs/environments/fire_bulls.md. */
import {
  clip,
  counts,
  indexIn,
  marks,
  oneHot,
  perSeat,
  seatOneHot,
  seen,
  sum,
  zeros,
} from "./values.js";

export const version = 0;

const SEATS = 5;
const HAND_LIMIT = 8;
const ROW_LENGTH = 3;
const MOST_BEATEN = 3;
const IDLE_ROUNDS = 4;
const REACHES = ["graded", "strict", "free"];
const PHASES = ["turn", "attack", "reward", "penalty", "discard"];
const DIRECTIONS = ["DL", "L", "M", "R", "DR"];
const ATTACKS = [...DIRECTIONS, "general"];
const COLOURS = ["g", "y", "r", "b", "n"];
const QI = [...COLOURS, "*"]; // the last one is the Warrior
const QI_COPIES = [10, 10, 10, 10, 10, 4];
const YEN = [
  ...COLOURS.map((c) => `S${c}`),
  ...COLOURS.map((c) => `W${c}`),
  ..."W0 X B V G K".split(" "),
];
const YEN_COPIES = [3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 9, 6, 3, 1, 8];
const REWARDED = ["B", "V", "G"];
// How many cards of one colour, of a second one and so on pay for a Yen card, in one or two ways
const COSTS = {
  S: [[1]],
  W: [[2]],
  X: [[3]],
  B: [[1, 1, 1, 1, 1]],
  V: [[5], [3, 2]],
  G: [[7], [4, 3]],
  K: [[1]],
};
// The cells of each direction's line as [row, place], the first one first
const LINES = {
  DL: [
    [0, 0],
    [1, 1],
    [2, 2],
  ],
  L: [
    [0, 0],
    [0, 1],
    [0, 2],
  ],
  M: [
    [1, 0],
    [1, 1],
    [1, 2],
  ],
  R: [
    [2, 0],
    [2, 1],
    [2, 2],
  ],
  DR: [
    [2, 0],
    [1, 1],
    [0, 2],
  ],
};

/** Return the facts that the blocks are written from. */
export function read(view, seat) {
  const g = seen(view, seat);
  return { ...g, hand: g.hands[seat], cells: g.rows.flat() };
}

export const blocks = {
  players: (g) => marks(4, [g.players - 2]),
  reach: (g) => oneHot(REACHES, g.options.reach, "options.reach"),
  phase: (g) => oneHot(PHASES, g.over ? null : g.phase, "phase"),
  actor: (g) => seatOneHot(g, SEATS, g.to_act),
  hand: (g) => qiShares(g.hand, "hands"),
  hand_sizes: (g) => perSeat(g, SEATS, (s) => g.hands[s].length / (HAND_LIMIT + 1)),
  known: (g) => perSeat(g, SEATS, (s) => qiShares(g.known[s], "known")),
  display: (g) => qiShares(g.display, "display"),
  discard: (g) => qiShares(g.discard, "discard"),
  unseen: (g) => {
    const own = counts(QI, g.drawn[g.seat], "drawn");
    return shares(
      counts(QI, g.pool, "pool").map((n, kind) => n - own[kind]),
      QI_COPIES,
    );
  },
  pile: (g) => [g.qi_pile.length / sum(QI_COPIES), g.finished / 3],
  swaps: (g) => [g.idle / (IDLE_ROUNDS * g.players), ...perSeat(g, SEATS, (s) => g.swapped[s])],
  rows: (g) => g.cells.flatMap((card) => oneHot(YEN, card, "rows")),
  yen_piles: (g) => g.yen_piles.map((pile) => clip(pile.length / 15, 0, 1)),
  yen_unseen: (g) => {
    const aside = g.general === "aside" ? ["G"] : [];
    const found = [
      ...g.cells.filter((card) => card !== null),
      ...g.beaten.flat(),
      ...g.removed,
      ...aside,
    ];
    const visible = counts(YEN, found, "beaten");
    return shares(
      YEN_COPIES.map((n, card) => n - visible[card]),
      YEN_COPIES,
    );
  },
  general: (g) => oneHot(["hidden", "aside", "beaten"], g.general, "general"),
  bulls: (g) => perSeat(g, SEATS, (s) => oneHot(DIRECTIONS, g.bulls[s], "bulls")),
  colors: (g) => perSeat(g, SEATS, (s) => oneHot(COLOURS, g.colors[s], "colors")),
  beaten: (g) => perSeat(g, SEATS, (s) => shares(counts(YEN, g.beaten[s], "beaten"), YEN_COPIES)),
  scores: (g) => perSeat(g, SEATS, (s) => Math.min(g.scores[s] / 100, 1)),
  stolen: (g) => {
    const card = g.stolen?.cards[g.seat] ?? "-"; // "-": none
    return [
      ...oneHot(QI, card === "-" ? null : card, "stolen.cards"),
      ...seatOneHot(g, SEATS, g.stolen?.by ?? null),
    ];
  },
  attack_dir: (g) => oneHot(ATTACKS, g.attack?.dir ?? null, "attack.dir"),
  attack_nums: (g) => {
    if (g.attack === null) return zeros(3);
    const { limit, beaten, warriors } = g.attack;
    return [limit / MOST_BEATEN, beaten.length / MOST_BEATEN, Math.min(warriors / 4, 1)];
  },
  attack_paid: (g) => qiShares(g.attack?.paid ?? [], "attack.paid"),
  attack_target: (g) =>
    oneHot(YEN, g.phase === "attack" ? target(g, g.attack.dir) : null, "attack.dir"),
  attack_beaten: (g) =>
    counts(YEN, g.attack?.beaten ?? [], "attack.beaten").map((n) => n / MOST_BEATEN),
  reward: (g) => oneHot(REWARDED, g.reward, "reward"),
  payable: (g) => ATTACKS.map((direction) => canPay(g.hand, target(g, direction))),
  my_reach: (g) => DIRECTIONS.map((direction) => reach(g, direction) / MOST_BEATEN),
};

/** Return numbers of cards as shares of how many there are. */
const shares = (numbers, copies) => numbers.map((number, kind) => number / copies[kind]);

const qiShares = (cards, key) => shares(counts(QI, cards, key), QI_COPIES);

/** Return the Yen card that an attack from there meets first, null if there is none. */
function target(g, direction) {
  if (direction === "general") return g.general === "aside" ? "G" : null;
  const cards = LINES[direction].map(([row, place]) => g.cells[row * ROW_LENGTH + place]);
  return cards.find((card) => card !== null) ?? null;
}

/** Tell whether a hand can pay for a Yen card: Warriors stand in for what its colours lack. */
function canPay(hand, card) {
  if (card === null) return false;
  const [kind, colour] = card;
  const numbers = counts(QI, hand, "hands");
  const warriors = numbers.pop();
  const own = COLOURS.includes(colour) ? [numbers[COLOURS.indexOf(colour)]] : numbers;
  own.sort((a, b) => b - a);
  const lack = (cost) => sum(cost.map((needed, place) => Math.max(needed - own[place], 0)));
  return COSTS[kind].some((cost) => lack(cost) <= warriors);
}

/** Return how many Yen cards the observer may beat from a direction. */
function reach(g, direction) {
  const distance = Math.abs(
    indexIn(DIRECTIONS, g.bulls[g.seat], "bulls") - DIRECTIONS.indexOf(direction),
  );
  if (g.options.reach === "free" || distance === 0) return MOST_BEATEN;
  return g.options.reach === "graded" ? Math.max(MOST_BEATEN - distance, 1) : 1;
}
