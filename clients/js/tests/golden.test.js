/** Replays the golden vectors of the exported bot in the folder EMBERDECK_BOT. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import * as ort from "onnxruntime-node";
import { loadBot } from "../src/index.js";
import { readFolder } from "../src/node.js";

const FOLDER = process.env.EMBERDECK_BOT;
const TOLERANCE = 1e-4;

test("golden vectors", { skip: !FOLDER && "EMBERDECK_BOT names no folder" }, async () => {
  const bot = await loadBot(await readFolder(FOLDER), ort);
  const { vectors } = JSON.parse(readFileSync(path.join(FOLDER, "vectors.json"), "utf-8"));
  assert.ok(vectors.length >= 50);
  for (const [index, vector] of vectors.entries()) {
    const { view, legal_actions: legal } = vector;
    const names = legal.map((id) => bot.card.actions[id]);
    const observation = bot.observation(view);
    assert.deepEqual(observation, Float32Array.from(vector.observation), `vector ${index}`);

    const { logits, added } = await bot.predict(observation, legal);
    assert.equal(logits.length, vector.logits.length);
    vector.logits.forEach((logit, id) => assertNear(logits[id], logit));
    assertNear(added, vector.value);

    const decision = await bot.decide(view, index % 2 ? legal : names, { mode: "greedy" });
    assert.equal(decision.action, vector.action);
    assert.equal(decision.name, bot.card.actions[vector.action]);
    assertNear(decision.added, vector.value);
    const likely = decision.probabilities.flatMap((chance, id) => (chance > 0 ? [id] : []));
    assert.ok(likely.every((id) => legal.includes(id)));
    assertNear(
      decision.probabilities.reduce((a, b) => a + b, 0),
      1,
    );
  }
});

function assertNear(found, expected) {
  assert.ok(
    Math.abs(found - expected) <= TOLERANCE * Math.max(1, Math.abs(expected)),
    `${found}, not ${expected}`,
  );
}
