/** An exported bot: it observes a seat's view and picks one of the legal actions. */
import { check, observer } from "./observation.js";

const FORMAT = 1;
const KIND = "emberdeck-onnx";

/**
 * Return a bot from the files of its folder (see `fetchFolder`, and `readFolder` in node.js).
 *
 * `ort` is the module onnxruntime-node or onnxruntime-web; `sessionOptions` go to its session.
 * Throws an Error if the folder holds no exported bot, or one that this package cannot play.
 */
export async function loadBot({ card, model }, ort, sessionOptions = {}) {
  check(card?.kind === KIND, `bot.json is not that of an exported bot: kind ${card?.kind}`);
  check(card.format === FORMAT, `bot.json: format ${card.format}, this package reads ${FORMAT}`);
  await checkModel(card, model);
  const observe = observer(card);
  temperatureOf(card.mode);
  const session = await ort.InferenceSession.create(model, sessionOptions);
  return new Bot(card, observe, session, ort);
}

/** Throw an Error if `model` is not the network that the card describes. */
async function checkModel(card, model) {
  const { subtle } = globalThis.crypto; // a page without https has none: then it is not checked
  if (subtle === undefined) return;
  const digest = new Uint8Array(await subtle.digest("SHA-256", model));
  const found = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  check(found === card.sha256, "bot.onnx is damaged, or not the one that bot.json belongs to");
}

/** Return the files of a bot's folder at a URL, for `loadBot`. */
export async function fetchFolder(url) {
  const [card, model] = await Promise.all([fetched(url, "bot.json"), fetched(url, "bot.onnx")]);
  return { card: await card.json(), model: new Uint8Array(await model.arrayBuffer()) };
}

async function fetched(url, name) {
  const response = await fetch(`${url}/${name}`);
  check(response.ok, `cannot load ${url}/${name}: ${response.status} ${response.statusText}`);
  return response;
}

/** A loaded bot; `card` is its bot.json. Made by `loadBot`. */
class Bot {
  #observe;
  #session;
  #ort;

  constructor(card, observe, session, ort) {
    this.card = card;
    this.#observe = observe;
    this.#session = session;
    this.#ort = ort;
  }

  /** Return the observation of a view, Float32Array; `seat` is whose view it is. */
  observation(view, seat = view?.to_act) {
    return this.#observe(view, seat);
  }

  /**
   * Return what the bot does as the acting seat of this view.
   *
   * That is `{action, name, probabilities, added, value}`. `legalActions` are ids or names. `mode`
   * is `sample` (by the probabilities), `greedy`, or a temperature > 0; `random` returns numbers
   * from 0 to below 1. `probabilities` are by action id, those of `sample` in every mode. `value`
   * is the reward that the seat is expected to get: `added`, what the network says, and its
   * standing.
   */
  async decide(view, legalActions, { mode = this.card.mode, random = Math.random } = {}) {
    const temperature = temperatureOf(mode);
    check(view?.to_act !== null, "the game is over: nobody is to act");
    const mask = this.#mask(legalActions);
    const { logits, added } = await this.#run(this.observation(view), mask);
    const probabilities = softmax(logits, mask, 1);
    const action =
      temperature === 0
        ? highest(logits, mask)
        : drawn(softmax(logits, mask, temperature), random());
    return {
      action,
      name: this.card.actions[action],
      probabilities,
      added,
      value: standing(view, this.card.score_scale) + added,
    };
  }

  /**
   * Return the network's own output: `{logits, added}`, the masked logits by action id.
   *
   * For who has an observation already, such as that of a golden vector.
   */
  async predict(observation, legalActions) {
    return this.#run(Float32Array.from(observation), this.#mask(legalActions));
  }

  /** Return 1 for each legal action, else 0, Float32Array. */
  #mask(legalActions) {
    const { game, actions } = this.card;
    const mask = new Float32Array(actions.length);
    for (const action of legalActions) {
      const id = typeof action === "string" ? actions.indexOf(action) : action;
      const isAction = Number.isInteger(id) && id >= 0 && id < mask.length;
      check(isAction, `${game} has no action ${JSON.stringify(action)}`);
      mask[id] = 1;
    }
    check(mask.includes(1), "there is no legal action to choose from");
    return mask;
  }

  /** Return the network's logits, which are finite, and what it adds to the standing. */
  async #run(observation, mask) {
    const tensor = (values) => new this.#ort.Tensor("float32", values, [1, values.length]);
    const feeds = { observation: tensor(observation), action_mask: tensor(mask) };
    const outputs = await this.#session.run(feeds);
    const [logits, [added]] = [outputs.logits.data, outputs.value.data];
    const finite = logits.every(Number.isFinite) && Number.isFinite(added);
    check(finite, "the network's output is not finite: bot.onnx is damaged");
    return { logits, added };
  }
}

/** Return the temperature that a mode stands for: sample is 1, greedy is 0. */
function temperatureOf(mode) {
  if (mode === "sample") return 1;
  if (mode === "greedy") return 0;
  const allowed = "sample, greedy or a temperature > 0";
  check(Number.isFinite(mode) && mode > 0, `mode must be ${allowed}, not ${JSON.stringify(mode)}`);
  return mode;
}

/** Return the id of the legal action with the highest logit, the first of several. */
function highest(logits, mask) {
  let best = mask.indexOf(1);
  for (let id = best; id < mask.length; id += 1) {
    if (mask[id] && logits[id] > logits[best]) best = id;
  }
  return best;
}

/** Return the probability of every action; 0 for illegal ones. */
function softmax(logits, mask, temperature) {
  const top = logits[highest(logits, mask)];
  const weight = (logit) => Math.exp((logit - top) / temperature);
  const weights = Array.from(logits, (logit, id) => (mask[id] ? weight(logit) : 0));
  const total = weights.reduce((a, b) => a + b, 0);
  return weights.map((one) => one / total);
}

/** Return the id that a number from 0 to below 1 falls on. */
function drawn(probabilities, draw) {
  check(draw >= 0 && draw < 1, `random must return a number from 0 to below 1, not ${draw}`);
  let left = draw;
  let action = -1;
  for (let id = 0; id < probabilities.length && left >= 0; id += 1) {
    if (probabilities[id] === 0) continue;
    left -= probabilities[id];
    action = id; // the last possible one, should rounding leave a rest
  }
  return action;
}

/** Return the acting seat's `score` reward if the game ended now. */
function standing(view, scale) {
  const own = view.scores[view.to_act];
  const all = view.scores.reduce((a, b) => a + b, 0);
  const others = (all - own) / (view.players - 1);
  return Math.min(Math.max((own - others) / scale, -1), 1);
}
