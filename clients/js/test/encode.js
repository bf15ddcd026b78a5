/**
 * Writes the observations of views: `node encode.js CARD < LINES > FLOATS`.
 *
 * A line is {"seat", "view"} in JSON; float32s come out, an observation after the other.
 */
import { createInterface } from "node:readline";
import { readFileSync } from "node:fs";
import { observer } from "../src/index.js";

const observe = observer(JSON.parse(readFileSync(process.argv[2], "utf-8")));
for await (const line of createInterface({ input: process.stdin })) {
  const { seat, view } = JSON.parse(line);
  process.stdout.write(Buffer.from(observe(view, seat).buffer));
}
