/**
 * What the encoders share. The facts `g` that a block is written from are the view's keys, `seat`,
 * the observer, and `order`: the seats clockwise from the observer, as observations list them.
 */

/** Return the keys of a view with its observer and the order of the seats. */
export function seen(view, seat) {
  const order = Array.from({ length: view.players }, (_, k) => (seat + k) % view.players);
  return { ...view, seat, order };
}

/** Return the index of a name in a list of names; an Error names the view's key otherwise. */
export function indexIn(names, name, key) {
  const index = names.indexOf(name);
  if (index < 0) throw new Error(`${key}: ${JSON.stringify(name)} is none of ${names.join(", ")}`);
  return index;
}

/** Return that many zeros. */
export const zeros = (length) => new Array(length).fill(0);

/** Return that many zeros with a 1 at every one of the indices. */
export function marks(length, indices) {
  const values = zeros(length);
  for (const index of indices) {
    if (!(index in values)) throw new Error(`there is no place ${index}, from 0, of ${length}`);
    values[index] = 1;
  }
  return values;
}

/** Return zeros with a 1 where the name stands in the list; all zeros for null. */
export const oneHot = (names, name, key) =>
  marks(names.length, name === null ? [] : [indexIn(names, name, key)]);

/** Return how often each of the names is there. */
export function counts(names, found, key) {
  const values = zeros(names.length);
  for (const name of found) values[indexIn(names, name, key)] += 1;
  return values;
}

/** Return zeros with a 1 at a seat's place clockwise of the observer; all zeros for null. */
export const seatOneHot = (g, most, seat) =>
  marks(most, seat === null ? [] : [indexIn(g.order, seat, "seat")]);

/** Return what `of` says of each seat in order, a value or a row; zeros for absent seats. */
export function perSeat(g, most, of) {
  const values = g.order.flatMap(of);
  return [...values, ...zeros((values.length / g.players) * (most - g.players))];
}

/** Return the value, or the nearest bound if it lies outside. */
export const clip = (value, low, high) => Math.min(Math.max(value, low), high);

/** Return the sum of some numbers. */
export const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
