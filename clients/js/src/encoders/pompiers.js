/** Pompiers!: a seat's view as the observation of docs/environments/pompiers.md. */
import { indexIn, marks, oneHot, perSeat, seatOneHot, seen, sum } from "./values.js";

export const version = 0;

const SEATS = 5;
const RANKS = 15;
const TRICKS = 10;
const ROUNDS = 5; // with 3 seats one less
const MISSIONS = 5;
const COLOURS = ["R", "B", "Y", "K"];
const PHASES = ["place", "trump", "play"];
const TILES = [
  "exactly_1",
  "exactly_2",
  "exactly_3",
  "trick_3",
  "trick_7",
  "trick_9",
  "trick_r",
  "trick_r5",
  "most_red",
  "most_blue",
  "most_yellow",
  "no_red",
  "no_yellow",
  "no_black",
];
const NOT_WITH_3 = ["trick_r", "trick_r5"];
const CARDS = COLOURS.flatMap((colour) =>
  Array.from({ length: RANKS }, (_, index) => colour + (index + 1)),
);

/** Return the facts that the blocks are written from. */
export function read(view, seat) {
  const g = seen(view, seat);
  const hand = g.hands[seat];
  const plays = [...g.tricks, { leader: g.leader, cards: g.trick }].flatMap(({ leader, cards }) =>
    cards.map((card, turn) => ({ seat: (leader + turn) % g.players, card, led: cards[0] })),
  );
  const drawn = g.chooser === seat ? g.drawn : [];
  const out = [g.trump_card, g.placed[seat], ...drawn].filter((card) => card !== null);
  const found = new Set([...hand, ...out, ...plays.map((play) => play.card)]);
  const deck = CARDS.filter((card) => rank(card) <= 3 * g.players);
  const lying = new Set([g.slot_tile, ...g.emergency, ...g.set_aside, ...g.acquired.flat()]);
  const tiles = TILES.filter((tile) => g.players > 3 || !NOT_WITH_3.includes(tile));
  return {
    ...g,
    hand,
    plays,
    out,
    unseen: deck.filter((card) => !found.has(card)),
    toCome: tiles.filter((tile) => !lying.has(tile)),
    best: winning(g.trick, g.trump_card),
  };
}

export const blocks = {
  hand: (g) => cardMarks(g.hand, "hands"),
  unseen: (g) => cardMarks(g.unseen),
  known_out: (g) => cardMarks(g.out, "drawn"),
  table: (g) => cardMarks(g.trick, "trick"),
  played_by: (g) =>
    perSeat(g, SEATS, (s) =>
      cardMarks(
        playsOf(g, s).map(({ card }) => card),
        "tricks",
      ),
    ),
  best_card: (g) => oneHot(CARDS, g.trick[g.best] ?? null, "trick"),
  best_seat: (g) =>
    seatOneHot(g, SEATS, g.trick.length > 0 ? (g.leader + g.best) % g.players : null),
  in_trick: (g) => perSeat(g, SEATS, (s) => turnAfter(g, s, g.leader) < g.trick.length),
  led: (g) => oneHot(COLOURS, g.trick.length > 0 ? colour(g.trick[0]) : null, "trick"),
  trump: (g) => oneHot(COLOURS, g.trump_card && colour(g.trump_card), "trump_card"),
  room_owner: (g) =>
    Array.from({ length: TRICKS }, (_, number) =>
      seatOneHot(g, SEATS, g.tricks[number]?.winner ?? null),
    ).flat(),
  trick_number: (g) => marks(TRICKS, g.phase === "play" ? [g.tricks.length] : []),
  collected: (g) =>
    perSeat(g, SEATS, (s) => {
      const cards = g.tricks.filter(({ winner }) => winner === s).flatMap((trick) => trick.cards);
      return COLOURS.map((name) => cards.filter((card) => colour(card) === name).length / RANKS);
    }),
  taken: (g) => perSeat(g, SEATS, (s) => sum(rooms(g, s)) / TRICKS),
  pairs: (g) => perSeat(g, SEATS, (s) => pairs(rooms(g, s)) / (TRICKS / 2)),
  run_best: (g) => perSeat(g, SEATS, (s) => Math.max(0, ...runs(rooms(g, s))) / TRICKS),
  run_now: (g) => perSeat(g, SEATS, (s) => (runs(rooms(g, s)).at(-1) ?? 0) / TRICKS),
  void: (g) =>
    perSeat(g, SEATS, (s) => {
      const failed = playsOf(g, s).filter(({ card, led }) => colour(card) !== colour(led));
      return COLOURS.map((name) => failed.some(({ led }) => colour(led) === name));
    }),
  hand_size: (g) => perSeat(g, SEATS, (s) => g.hands[s].length / (TRICKS + 1)),
  placed_done: (g) =>
    perSeat(g, SEATS, (s) => g.phase === "place" && turnAfter(g, s, g.dealer) < g.pile.length),
  chips: (g) => perSeat(g, SEATS, (s) => g.chips[s]),
  unachieved: (g) => perSeat(g, SEATS, (s) => g.chips[s].filter((chip) => !chip).length / MISSIONS),
  slot_tile: (g) => oneHot(TILES, g.slot_tile, "slot_tile"),
  emergency: (g) => tileMarks(g.emergency, "emergency"),
  set_aside: (g) => tileMarks(g.set_aside, "set_aside"),
  acquired: (g) => perSeat(g, SEATS, (s) => tileMarks(g.acquired[s], "acquired")),
  to_come: (g) => tileMarks(g.toCome),
  scores: (g) => perSeat(g, SEATS, (s) => g.scores[s] / 70),
  dealer: (g) => seatOneHot(g, SEATS, g.dealer),
  leader: (g) => seatOneHot(g, SEATS, g.leader),
  to_act: (g) => seatOneHot(g, SEATS, g.to_act),
  chooser: (g) => seatOneHot(g, SEATS, g.chooser),
  round: (g) => marks(ROUNDS, [g.round - 1]),
  rounds_left: (g) => [((g.players === 3 ? ROUNDS - 1 : ROUNDS) - g.round) / (ROUNDS - 1)],
  phase: (g) => oneHot(PHASES, g.over ? null : g.phase, "phase"),
  players: (g) => marks(3, [g.players - 3]),
  eleven: (g) => [g.options.eleven_cards === "on"],
};

const colour = (card) => card[0];

const rank = (card) => Number(card.slice(1));

const cardMarks = (cards, key) =>
  marks(
    CARDS.length,
    cards.map((card) => indexIn(CARDS, card, key)),
  );

const tileMarks = (tiles, key) =>
  marks(
    TILES.length,
    tiles.map((tile) => indexIn(TILES, tile, key)),
  );

const playsOf = (g, seat) => g.plays.filter((play) => play.seat === seat);

/** Return how many places a seat sits clockwise of another. */
const turnAfter = (g, seat, first) => (seat - first + g.players) % g.players;

/** Return the place of the card that wins a trick, or would if it ended now. */
function winning(cards, trumpCard) {
  const beats = (card, other) =>
    colour(card) === colour(other) ? rank(card) > rank(other) : colour(card) === colour(trumpCard);
  return cards.reduce((best, card, place) => (beats(card, cards[best]) ? place : best), 0);
}

/** Return for each finished trick whether the seat took it. */
const rooms = (g, seat) => g.tricks.map(({ winner }) => Number(winner === seat));

/** Count the tricks n in a seat's rooms with trick n + 5 below them. */
const pairs = (taken) => sum(taken.map((own, number) => own * (taken[number + TRICKS / 2] ?? 0)));

/** Return for each finished trick the length of the seat's run that ends there, perhaps 0. */
function runs(taken) {
  let length = 0;
  return taken.map((own) => (length = own ? length + 1 : 0));
}
