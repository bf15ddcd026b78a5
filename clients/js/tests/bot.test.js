/** What a bot does with a network's output, and what it refuses, on a network that is made up. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { fetchFolder, loadBot, observer } from "../src/index.js";
import { blocks } from "../src/encoders/fire_bulls.js";

const MODEL = Buffer.from("a model");
const ACTIONS = ["take g", "take y", "stop"];
const VIEW = {
  game: "fire_bulls",
  players: 2,
  options: { reach: "graded" },
  to_act: 1,
  phase: "turn",
  over: false,
  scores: [4, 9],
  end: null,
  start: 0,
  colors: ["g", "y"],
  bulls: ["L", "M"],
  hands: [
    [null, null],
    ["g", "*"],
  ],
  display: ["g", "y", "y"],
  qi_pile: [null],
  discard: [],
  finished: 0,
  idle: 0,
  swapped: [false, true],
  pool: ["g"],
  drawn: [[], ["g"]],
  known: [[], ["*"]],
  yen_piles: [[null], [], []],
  rows: [
    ["Sg", null, null],
    ["W0", "X", null],
    [null, null, null],
  ],
  general: "hidden",
  beaten: [["Sy"], ["V"]],
  removed: [],
  attack: null,
  reward: null,
  stolen: null,
};

/** Return a card whose blocks have the lengths that this view shows. */
function cardOf(changes = {}) {
  let offset = 0;
  const facts = { ...VIEW, seat: 1, order: [1, 0], hand: VIEW.hands[1], cells: VIEW.rows.flat() };
  const table = Object.entries(blocks).map(([name, write]) => {
    const block = { name, offset, length: write(facts).length };
    offset += block.length;
    return block;
  });
  return {
    format: 1,
    kind: "emberdeck-onnx",
    game: "fire_bulls",
    game_version: 0,
    players: [2, 3, 4, 5],
    score_scale: 20,
    mode: "sample",
    sha256: createHash("sha256").update(MODEL).digest("hex"),
    actions: ACTIONS,
    blocks: table,
    ...changes,
  };
}

/** Return a stand-in for onnxruntime whose network always puts out the same. */
function runtime(logits, value) {
  class Tensor {
    constructor(type, data, dims) {
      Object.assign(this, { type, data, dims });
    }
  }
  const fed = [];
  const session = {
    run: async (feeds) => {
      fed.push(feeds);
      return {
        logits: { data: Float32Array.from(logits) },
        value: { data: Float32Array.of(value) },
      };
    },
  };
  return { Tensor, InferenceSession: { create: async () => session }, fed };
}

const load = (logits = [1, 2, 3], value = 0.25, changes = {}) =>
  loadBot({ card: cardOf(changes), model: MODEL }, runtime(logits, value));

const refuses = (call, message) => assert.rejects(call, { message });

test("the network is fed the observation and the mask as float32 rows", async () => {
  const ort = runtime([1, 2, 3], 0);
  const bot = await loadBot({ card: cardOf(), model: MODEL }, ort);
  await bot.decide(VIEW, ["stop", 0]);
  const { observation, action_mask: mask } = ort.fed[0];
  assert.deepEqual([mask.type, mask.dims, [...mask.data]], ["float32", [1, 3], [1, 0, 1]]);
  assert.deepEqual(observation.data, bot.observation(VIEW, 1));
  assert.deepEqual(observation.dims, [1, observation.data.length]);
});

test("greedy takes the first of the likeliest legal actions", async () => {
  const bot = await load([2, 2, 9]);
  const { action, name } = await bot.decide(VIEW, [1, 0], { mode: "greedy" });
  assert.deepEqual([action, name], [0, "take g"]);
});

test("sample draws by the probabilities", async () => {
  const bot = await load([0, 50, Math.log(3)]);
  const drawAt = async (draw, mode) =>
    (await bot.decide(VIEW, [0, 2], { mode, random: () => draw })).action;
  assert.deepEqual([await drawAt(0), await drawAt(0.2499), await drawAt(0.2501)], [0, 0, 2]);
  assert.equal(await drawAt(1 - Number.EPSILON / 2), 2);
  assert.deepEqual([await drawAt(0.499, 1e6), await drawAt(0.501, 1e6)], [0, 2]);
  assert.equal(await drawAt(0.01, 0.1), 2);
  const { probabilities } = await bot.decide(VIEW, [0, 2], { mode: 7 });
  assert.deepEqual(
    probabilities.map((chance) => chance.toFixed(6)),
    ["0.250000", "0.000000", "0.750000"],
  );
});

test("the value is the standing of the acting seat and what the network adds", async () => {
  const bot = await load();
  const { added, value } = await bot.decide(VIEW, [0]);
  assert.deepEqual([added, value], [0.25, 0.5]);
  const three = { ...VIEW, to_act: 1, scores: [80, 9] };
  assert.equal((await bot.decide(three, [0])).value, -0.75);
});

test("the card's mode is the default", async () => {
  const bot = await load([1, 2, 3], 0, { mode: "greedy" });
  assert.equal((await bot.decide(VIEW, [0, 1], { random: () => 0 })).action, 1);
});

test("a decision that cannot be taken is refused in one line", async () => {
  const bot = await load();
  await refuses(bot.decide(VIEW, []), "there is no legal action to choose from");
  await refuses(bot.decide(VIEW, ["fly"]), 'fire_bulls has no action "fly"');
  await refuses(bot.decide(VIEW, [3]), "fire_bulls has no action 3");
  await refuses(bot.decide(VIEW, [0.5]), "fire_bulls has no action 0.5");
  await refuses(bot.decide({ ...VIEW, to_act: null }, [0]), "the game is over: nobody is to act");
  const modes = "mode must be sample, greedy or a temperature > 0, not";
  await refuses(bot.decide(VIEW, [0], { mode: "best" }), `${modes} "best"`);
  await refuses(bot.decide(VIEW, [0], { mode: 0 }), `${modes} 0`);
  const random = () => 1;
  await refuses(
    bot.decide(VIEW, [0], { random }),
    "random must return a number from 0 to below 1, not 1",
  );
});

test("a NaN is refused", async () => {
  const message = "the network's output is not finite: bot.onnx is damaged";
  await refuses((await load([1, NaN, 3])).decide(VIEW, [0]), message);
  await refuses((await load([1, 2, 3], NaN)).decide(VIEW, [0]), message);
});

test("a view that cannot be encoded is refused in one line", async () => {
  const bot = await load();
  const observe =
    (changes, seat = 1) =>
    async () =>
      bot.observation({ ...VIEW, ...changes }, seat);
  await refuses(observe({ game: "go" }), "the bot plays fire_bulls, the view shows go");
  await refuses(observe({ players: 6 }), "players: fire_bulls has 2, 3, 4, 5 seats, not 6");
  await refuses(observe({}, 2), "seat must be from 0 to 1, not 2");
  await refuses(observe({}, 0), "hands: seat 0 must see its own hand");
  await refuses(
    observe({ display: ["z"] }),
    'fire_bulls: cannot encode block "display": display: "z" is none of g, y, r, b, n, *',
  );
  await refuses(observe({ rows: undefined }), /^fire_bulls: cannot encode the view: /);
  await refuses(observe({ finished: "x" }), 'fire_bulls: block "pile" of this view has a NaN');
});

test("a folder that is no bot's, or another package's, is refused in one line", async () => {
  const kind = "bot.json is not that of an exported bot: kind undefined";
  await refuses(load([], 0, { kind: undefined }), kind);
  await refuses(load([], 0, { format: 2 }), "bot.json: format 2, this package reads 1");
  const damaged = "bot.onnx is damaged, or not the one that bot.json belongs to";
  await refuses(load([], 0, { sha256: "0" }), damaged);
  await refuses(load([], 0, { mode: "best" }), /^mode must be /);
  await refuses(
    load([], 0, { game: "go" }),
    'there is no encoder of the game "go", only of fire_bulls, pompeji, pompiers, pumafiosi',
  );
  await refuses(
    load([], 0, { game_version: 9 }),
    /^the bot plays fire_bulls version 9, .* version 0/,
  );
});

test("the block table must be the encoder's", () => {
  const card = cardOf();
  const [first, second, ...rest] = card.blocks;
  const observerOf = (table) => () => observer({ ...card, blocks: table });
  const one = { name: "aura", offset: 0, length: 1 };
  assert.throws(observerOf([...card.blocks, one]), {
    message: 'fire_bulls: cannot write the block "aura"',
  });
  assert.throws(observerOf([second, ...rest]), {
    message: 'fire_bulls: bot.json has 0 blocks "players", not one',
  });
  assert.throws(observerOf([first, first, second, ...rest]), {
    message: 'fire_bulls: bot.json has 2 blocks "players", not one',
  });
  const longer = [{ ...first, length: 5 }, second, ...rest];
  assert.throws(() => observerOf(longer)()(VIEW, 1), {
    message: 'fire_bulls: block "players" has 5 elements in bot.json, 4 here',
  });
});

test("offsets come from the card", () => {
  const card = cardOf();
  const size = Math.max(...card.blocks.map((block) => block.offset + block.length));
  const plain = observer(card)(VIEW, 1);
  const turned = card.blocks.map((block) => ({
    ...block,
    offset: size - block.offset - block.length,
  }));
  const other = observer({ ...card, blocks: turned })(VIEW, 1);
  assert.equal(other.length, plain.length);
  for (const [index, { offset, length }] of card.blocks.entries()) {
    const at = turned[index].offset;
    assert.deepEqual(other.slice(at, at + length), plain.slice(offset, offset + length));
  }
});

test("a folder is fetched", async (t) => {
  const answers = { "http://x/bot/bot.json": '{"game": "go"}', "http://x/bot/bot.onnx": "net" };
  t.mock.method(globalThis, "fetch", async (url) =>
    url in answers
      ? new Response(answers[url])
      : new Response("", { status: 404, statusText: "Not Found" }),
  );
  const { card, model } = await fetchFolder("http://x/bot");
  assert.deepEqual([card, Buffer.from(model).toString()], [{ game: "go" }, "net"]);
  await refuses(
    fetchFolder("http://x/nobot"),
    "cannot load http://x/nobot/bot.json: 404 Not Found",
  );
});
