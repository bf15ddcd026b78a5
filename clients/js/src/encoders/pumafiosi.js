/** Pumafiosi: a seat's view as the observation of docs/environments/pumafiosi.md. */
import { clip, indexIn, marks, oneHot, perSeat, seatOneHot, seen, sum, zeros } from "./values.js";

export const version = 0;

const SEATS = 5;
const CARDS = 55;
const HAND_SIZE = 3;
const PILE_SIZE = 7;
const ROUNDS = HAND_SIZE + PILE_SIZE;
const GUN = 10.5; // what the machine gun adds to a card's strength
const PHASES = ["play", "place", "ring", "over"];
const ITEMS = ["machine_gun", "vest", "notebook", "ring"];
const STEP_VALUES = [10, 8, 7, 6, 5, 3, 2, 1, -3];
const CASUALTY = STEP_VALUES.length - 1; // the last step, with room for any number of cards
const UNREPRESENTED = 10; // penalty points for no card in the hierarchy

/** Return the facts that the blocks are written from. */
export function read(view, seat) {
  const g = seen(view, seat);
  const tonyCard = g.tony_card === null ? null : { card: g.tony_card, gun: false };
  return {
    ...g,
    hand: g.hands[seat].map(Number),
    unseen: unseen(g),
    lying: [...g.table, tonyCard], // by seat, then Tony's
    casualties: g.hierarchy[CASUALTY],
  };
}

export const blocks = {
  players: (g) => marks(4, [g.players - 2]),
  options: (g) => [g.options.items, g.options.games === 3],
  phase: (g) => oneHot(PHASES, g.phase, "phase"),
  to_act: (g) => seatOneHot(g, SEATS, g.to_act),
  game: (g) => [...marks(3, [g.game_number - 1]), (g.options.games - g.game_number) / 2],
  round: (g) => marks(ROUNDS, [g.round - 1]),
  lead: (g) => seatOneHot(g, SEATS, g.start_seat),
  yet_to_play: (g) => perSeat(g, SEATS, (s) => g.phase === "play" && g.table[s] === null),
  age: (g) => perSeat(g, SEATS, (s) => indexIn(g.age_order, s, "age_order") / 4),
  hand_size: (g) => perSeat(g, SEATS, (s) => g.hands[s].length / HAND_SIZE),
  pile_size: (g) => perSeat(g, SEATS, (s) => g.piles[s].length / PILE_SIZE),
  hand: (g) => cardMarks(g.hand),
  unseen: (g) => cardMarks(g.unseen),
  played: (g) => [...perSeat(g, SEATS, (s) => cardMarks(g.played[s])), ...cardMarks(g.tony_played)],
  table: (g) => [
    ...perSeat(g, SEATS, (s) => tableRow(g.lying[s])),
    ...tableRow(g.lying[g.players]),
  ],
  hand_rank: (g) => [0, 1, 2].flatMap((place) => rankRow(g, g.hand[place])),
  pending,
  ring,
  steps: (g) => g.hierarchy.slice(0, CASUALTY).flatMap(([entry]) => stepRow(g, entry)),
  casualty,
  represented: (g) => perSeat(g, SEATS, (s) => isRepresented(g, s)),
  score: (g) => perSeat(g, SEATS, (s) => points(g.scores[s])),
  projected: (g) => perSeat(g, SEATS, (s) => points(projectedScore(g, s))),
  items: (g) => perSeat(g, SEATS, (s) => ITEMS.map((item) => g.items[s].includes(item))),
};

/** Return the marks of cards, given as numbers or their names. */
const cardMarks = (cards) =>
  marks(
    CARDS,
    cards.map((card) => card - 1),
  );

const points = (score) => clip(score / 100, -1, 1);

const strength = ({ card, gun }) => Number(card) + (gun ? GUN : 0);

/** Return the numbers of the cards neither in the own hand nor played in this game. */
function unseen(g) {
  const known = new Set([...g.hands[g.seat], ...g.played.flat(), ...g.tony_played].map(Number));
  return Array.from({ length: CARDS }, (_, index) => index + 1).filter((card) => !known.has(card));
}

/** A card of this round: there; number; machine gun; strength. */
function tableRow(lying) {
  if (lying === null) return zeros(4);
  return [1, lying.card / CARDS, lying.gun, strength(lying) / (CARDS + GUN)];
}

/** An own card: there; number; table cards above it, and above it with a gun; unseen ones. */
function rankRow(g, card) {
  if (card === undefined) return zeros(5);
  const onTable = g.lying.filter((lying) => lying !== null).map(strength);
  const above = (value) => onTable.filter((other) => other > value).length / 5;
  const higher = g.unseen.filter((other) => other > card).length;
  return [1, card / CARDS, above(card), above(card + GUN), higher / g.unseen.length];
}

/** The card to be placed and the steps it may go to: empty, a lower card's, or the last one. */
function pending(g) {
  if (g.phase !== "place") return zeros(1 + STEP_VALUES.length);
  const card = Number(g.table[g.to_act].card);
  const mayLie = ([entry], step) => step === CASUALTY || entry === undefined || entry.card < card;
  return [card / CARDS, ...g.hierarchy.map(mayLie)];
}

/** The card that may get the ring, and its step. */
function ring(g) {
  if (g.phase !== "ring") return zeros(1 + STEP_VALUES.length);
  const isThere = (entries) => entries.some((entry) => entry.card === g.ring_target);
  return [g.ring_target / CARDS, ...g.hierarchy.map(isThere)];
}

/** A step above the last: occupied; number; owner (Tony comes last); co-owner; item. */
function stepRow(g, entry) {
  if (entry === undefined) return zeros(2 + SEATS + 1 + SEATS + 3);
  return [
    1,
    entry.card / CARDS,
    ...seatOneHot(g, SEATS, entry.owner),
    entry.owner === null,
    ...seatOneHot(g, SEATS, entry.co_owner),
    ...oneHot(ITEMS.slice(1), entry.item, "hierarchy"),
  ];
}

/** The last step: cards of each seat; who has a notebook there; Tony's cards. */
function casualty(g) {
  const count = (is) => g.casualties.filter(is).length;
  const isNotebook = (entry, s) => entry.owner === s && entry.item === "notebook";
  return [
    ...perSeat(g, SEATS, (s) => count((entry) => belongsTo(entry, s)) / ROUNDS),
    ...perSeat(g, SEATS, (s) => g.casualties.some((entry) => isNotebook(entry, s))),
    count((entry) => entry.owner === null) / ROUNDS,
  ];
}

const belongsTo = (entry, seat) => entry.owner === seat || entry.co_owner === seat;

const isRepresented = (g, seat) => g.hierarchy.flat().some((entry) => belongsTo(entry, seat));

/** The score if the game were scored now; at the end it has been. */
function projectedScore(g, seat) {
  if (g.over) return g.scores[seat];
  const worth = (entry, step) => STEP_VALUES[step] * (entry.item === "notebook" ? 2 : 1);
  const own = g.hierarchy.map((entries, step) =>
    sum(entries.filter((entry) => belongsTo(entry, seat)).map((entry) => worth(entry, step))),
  );
  return g.scores[seat] + sum(own) - (isRepresented(g, seat) ? 0 : UNREPRESENTED);
}
