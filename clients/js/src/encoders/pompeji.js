/** Pompeji: a seat's view as the observation of docs/environments/pompeji.md. */
import { clip, indexIn, marks, oneHot, perSeat, seatOneHot, seen, sum, zeros } from "./values.js";

export const version = 0;

const SEATS = 4;
const HAND_SIZE = 3;
const FULL_STACK = 44; // cards, after the set-up for two seats
const BLOCK = 9; // cards; the lowest block holds the second volcano, the one above it the first
const PHASES = ["permit", "play", "cell", "building", "colour", "draw", "over"];
const BUILDINGS = [..."ABFGMTV"];
const COLOURS = [..."roygbvw"];
const KINDS = BUILDINGS.length;
const CARDS = BUILDINGS.flatMap((building) => COLOURS.map((colour) => building + colour));
const STATUE = "S";
const STATUE_NUMBER = 1;

// The town lies in a frame of SIDE x SIDE cells, spans at most SPAN and reaches to the MIDDLE ones.
const SIDE = 13;
const MIDDLE = 6;
const SPAN = 7;
const CELLS = SIDE * SIDE;
const ROADS = [1, SIDE, SIDE + 1, SIDE - 1]; // a step along each
const BESIDE = [1, -1, SIDE, -SIDE];

/** Return the facts that the blocks are written from. */
export function read(view, seat) {
  const g = seen(view, seat);
  const town = new Map(g.town);
  const rows = [MIDDLE, ...[...town.keys()].map(row)];
  const columns = [MIDDLE, ...[...town.keys()].map(column)];
  const facts = {
    ...g,
    town,
    top: Math.min(...rows),
    bottom: Math.max(...rows),
    left: Math.min(...columns),
    right: Math.max(...columns),
    hand: g.hands[seat],
    chosen: g.to_act === seat ? g.card : null, // by the observer
  };
  facts.sites = freeCells(facts).map((cell) => site(facts, cell));
  return facts;
}

export const blocks = {
  players: (g) => marks(3, [g.players - 2]),
  option_permits: (g) => marks(2, [g.options.permits - 1]),
  option_values: (g) => oneHot(["latin", "building"], g.options.values, "options.values"),
  phase: (g) => oneHot(PHASES, g.phase, "phase"),
  to_act: (g) => seatOneHot(g, SEATS, g.to_act),
  turn: (g) => seatOneHot(g, SEATS, g.turn),
  extra: (g) => [g.extra],
  score: (g) => perSeat(g, SEATS, (s) => clip(g.scores[s] / 600, -1, 1)),
  lead: (g) => perSeat(g, SEATS, (s) => clip((g.scores[g.seat] - g.scores[s]) / 150, -1, 1)),
  hand_size: (g) => perSeat(g, SEATS, (s) => g.hands[s].length / HAND_SIZE),
  statues: (g) => perSeat(g, SEATS, (s) => g.statues[s]),
  permits: (g) => perSeat(g, SEATS, (s) => g.permits[s] / 2),
  volcanoes: (g) => [g.volcanoes / 2],
  stack: (g) => [Math.min(g.stack.length / FULL_STACK, 1)],
  volcano_chance: (g) => [volcanoChance(g)],
  hand: (g) => cardMarks(g.hand, "hands"),
  discards: (g) => cardMarks(g.discards, "discards"),
  unseen,
  chosen: (g) => oneHot([...CARDS, STATUE], g.chosen, "card"),
  chosen_cell: (g) => marks(CELLS, g.chosen !== null && g.cell !== null ? [g.cell] : []),
  chosen_building: (g) => oneHot(BUILDINGS, g.chosen && g.building, "building"),
  origin: (g) =>
    [g.top, g.left, g.bottom - MIDDLE, g.right - MIDDLE].flatMap((place) => marks(SPAN, [place])),
  window,
  free: (g) =>
    marks(
      CELLS,
      g.sites.map(({ cell }) => cell),
    ),
  gain_card: (g) => CARDS.map((card) => gain(g.hand.includes(card) ? bestOfCard(g, card) : 0)),
  gain_statue: (g) => [gain(g.statues[g.seat] > 0 ? most(g.sites.map(bestOfStatue)) : 0)],
  gain_cell,
  gain_building,
  gain_colour,
};

const row = (cell) => Math.floor(cell / SIDE);

const column = (cell) => cell % SIDE;

const cardMarks = (cards, key) =>
  marks(
    CARDS.length,
    cards.map((card) => indexIn(CARDS, card, key)),
  );

/** Return points as a gain from 0 to 1. */
const gain = (points) => Math.min(points, 100) / 100;

/** Return the largest of some points, 0 if there are none. */
const most = (points) => Math.max(0, ...points);

/** Return the number of a card. */
function numberOf(g, card) {
  const building = BUILDINGS.indexOf(card[0]);
  if (g.options.values === "building") return building + 1;
  return ((building + COLOURS.indexOf(card[1])) % KINDS) + 1;
}

/** The chance that the next card is a volcano. */
function volcanoChance(g) {
  const left = g.volcanoes === 0 ? g.stack.length - BLOCK : g.stack.length;
  return g.volcanoes < 2 && left >= 1 && left <= BLOCK ? 1 / left : 0;
}

/** The cards that are nowhere to be seen: in the stack and, until the end, in the other hands. */
function unseen(g) {
  const hands = g.over ? g.hands.flat() : g.hand;
  const found = new Set([...hands, ...g.discards, ...g.town.values()]);
  return CARDS.map((card) => !found.has(card));
}

/** Planes of 7 x 7 cells from the town's top left corner: buildings, colours, statue, number. */
function window(g) {
  const is = (test) => windowPlane(g, (face) => Number(test(face)));
  return [
    ...BUILDINGS.flatMap((building) => is((face) => face[0] === building && face !== STATUE)),
    ...COLOURS.flatMap((colour) => is((face) => face[1] === colour)),
    ...is((face) => face === STATUE),
    ...windowPlane(g, (face) => (face === STATUE ? 0 : numberOf(g, face) / KINDS)),
  ];
}

/** Return what `of` says of each face in the window, row by row; 0 where there is none. */
function windowPlane(g, of) {
  const values = zeros(SPAN * SPAN);
  for (const [cell, face] of g.town) {
    values[(row(cell) - g.top) * SPAN + column(cell) - g.left] = of(face);
  }
  return values;
}

/** By free cell the points of the chosen card or statue; without a choice the best own card's. */
function gain_cell(g) {
  const values = zeros(CELLS);
  for (const place of g.sites) {
    const cards = g.chosen === null ? g.hand : [g.chosen];
    const points = cards.map((card) =>
      card === STATUE ? bestOfStatue(place) : fits(place, card) ? cardPoints(g, place, card) : 0,
    );
    values[place.cell] = gain(most(points));
  }
  return values;
}

/** By building the most points of the statue, while the observer declares its building. */
function gain_building(g) {
  if (g.chosen === null || g.phase !== "building") return zeros(KINDS);
  const place = site(g, g.cell);
  const rest = bestColour(place) + sevenths(place);
  return BUILDINGS.map((building) =>
    place.shown.has(building) ? 0 : gain(buildingPoints(place, building, STATUE_NUMBER) + rest),
  );
}

/** By colour the points of the statue, while the observer declares its colour. */
function gain_colour(g) {
  if (g.chosen === null || g.phase !== "colour") return zeros(KINDS);
  const place = site(g, g.cell);
  const rest = buildingPoints(place, g.building, STATUE_NUMBER) + sevenths(place);
  return COLOURS.map((colour) =>
    place.shown.has(colour) ? 0 : gain(rest + colourPoints(place, colour, STATUE_NUMBER)),
  );
}

/** Return the free cells: empty, beside the town, and the town still spans at most 7 x 7. */
function freeCells(g) {
  const inside = (place, first, last) => Math.max(place, last) - Math.min(place, first) < SPAN;
  const isFree = (cell) =>
    inside(row(cell), g.top, g.bottom) &&
    inside(column(cell), g.left, g.right) &&
    !g.town.has(cell) &&
    BESIDE.some((step) => g.town.has(cell + step));
  return Array.from({ length: CELLS }, (_, cell) => cell).filter(isFree);
}

/** Return an empty cell with what its four neighbours show and the four roads through it. */
function site(g, cell) {
  const cards = BESIDE.map((step) => g.town.get(cell + step)).filter(isCard);
  return {
    cell,
    shown: new Set(cards.flatMap((card) => [...card])),
    roads: ROADS.map((step) => road(g, cell, step)),
  };
}

const isCard = (face) => face !== undefined && face !== STATUE;

/** Return a road's cards with their numbers, and how long it would be with the cell itself. */
function road(g, cell, step) {
  const faces = [];
  for (const way of [step, -step]) {
    for (let at = cell + way; g.town.has(at); at += way) faces.push(g.town.get(at));
  }
  const cards = faces.filter(isCard).map((card) => ({ card, number: numberOf(g, card) }));
  return { cards, length: faces.length + 1 };
}

const fits = (place, card) => !place.shown.has(card[0]) && !place.shown.has(card[1]);

/** Return what a card brings at a cell: for its building, its colour and full roads. */
function cardPoints(g, place, card) {
  const number = numberOf(g, card);
  const kinds = buildingPoints(place, card[0], number) + colourPoints(place, card[1], number);
  return kinds + sevenths(place);
}

/** In every road with that building: the sum of the numbers, the new one's too. */
function buildingPoints(place, building, number) {
  return sum(
    place.roads.map(({ cards }) => {
      const same = cards.filter(({ card }) => card[0] === building);
      return same.length > 0 ? number + sum(same.map((other) => other.number)) : 0;
    }),
  );
}

/** In every road with that colour: the highest number, perhaps the new one. */
function colourPoints(place, colour, number) {
  return sum(
    place.roads.map(({ cards }) => {
      const same = cards.filter(({ card }) => card[1] === colour);
      return same.length > 0 ? Math.max(number, ...same.map((other) => other.number)) : 0;
    }),
  );
}

/** For every road that has its seventh card now: 7. */
const sevenths = (place) => sum(place.roads.map(({ length }) => (length === SPAN ? SPAN : 0)));

const bestOfCard = (g, card) =>
  most(g.sites.filter((place) => fits(place, card)).map((place) => cardPoints(g, place, card)));

const bestOfStatue = (place) => bestBuilding(place) + bestColour(place) + sevenths(place);

const bestBuilding = (place) =>
  most(notShown(place, BUILDINGS).map((kind) => buildingPoints(place, kind, STATUE_NUMBER)));

const bestColour = (place) =>
  most(notShown(place, COLOURS).map((kind) => colourPoints(place, kind, STATUE_NUMBER)));

/** Return the buildings or colours that a statue may declare: those that lie not beside it. */
const notShown = (place, kinds) => kinds.filter((kind) => !place.shown.has(kind));
