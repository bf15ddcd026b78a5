/** A seat's view document as the numbers that a bot's network reads. */
import { ENCODERS } from "./encoders/index.js";

/**
 * Return the function (view, seat) -> Float32Array for the layout in a bot's card (bot.json).
 *
 * Where a block lies and how long it is comes from the card; throws an Error if this package
 * cannot write exactly the card's blocks.
 */
export function observer(card) {
  const encoder = ENCODERS[card.game];
  const games = Object.keys(ENCODERS).join(", ");
  check(encoder, `there is no encoder of the game ${JSON.stringify(card.game)}, only of ${games}`);
  check(
    card.game_version === encoder.version,
    `the bot plays ${card.game} version ${card.game_version}, this package encodes version ` +
      `${encoder.version}: use the emberdeck-bot of the bot's emberdeck_version`,
  );
  for (const { name } of card.blocks) {
    check(Object.hasOwn(encoder.blocks, name), `${card.game}: cannot write the block "${name}"`);
  }
  for (const name of Object.keys(encoder.blocks)) {
    const count = card.blocks.filter((block) => block.name === name).length;
    check(count === 1, `${card.game}: bot.json has ${count} blocks "${name}", not one`);
  }
  return (view, seat) => {
    checkView(card, view, seat);
    return write(card, encoder, view, seat);
  };
}

/** Throw an Error with this message unless the condition holds. */
export function check(condition, message) {
  if (!condition) throw new Error(message);
}

function checkView(card, view, seat) {
  check(view?.game === card.game, `the bot plays ${card.game}, the view shows ${view?.game}`);
  check(
    card.players.includes(view.players),
    `players: ${card.game} has ${card.players.join(", ")} seats, not ${view.players}`,
  );
  const isSeat = Number.isInteger(seat) && seat >= 0 && seat < view.players;
  check(isSeat, `seat must be from 0 to ${view.players - 1}, not ${seat}`);
  const hand = view.hands?.[seat];
  check(Array.isArray(hand) && !hand.includes(null), `hands: seat ${seat} must see its own hand`);
}

function write(card, encoder, view, seat) {
  const last = card.blocks.reduce((a, b) => (a.offset > b.offset ? a : b));
  const observation = new Float32Array(last.offset + last.length);
  const facts = named(card, "the view", () => encoder.read(view, seat));
  for (const { name, offset, length } of card.blocks) {
    const values = named(card, `block "${name}"`, () => encoder.blocks[name](facts));
    check(
      values.length === length,
      `${card.game}: block "${name}" has ${length} elements in bot.json, ${values.length} here`,
    );
    observation.set(values, offset);
    const written = observation.subarray(offset, offset + length);
    check(written.every(Number.isFinite), `${card.game}: block "${name}" of this view has a NaN`);
  }
  return observation;
}

/** Call a function; what it throws gets one line that says what could not be written. */
function named(card, what, call) {
  try {
    return call();
  } catch (error) {
    throw new Error(`${card.game}: cannot encode ${what}: ${error.message}`, { cause: error });
  }
}
