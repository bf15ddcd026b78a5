/**
 * Writes the observations of views: `node encode.js CARD < LINES > FLOATS`.
 *
 * A line is {"seat", "view"} in JSON; out come float32s, one observation after the other.
 */
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { observer } from "../src/index.js";

const observe = observer(JSON.parse(readFileSync(process.argv[2], "utf-8")));
for await (const line of createInterface({ input: process.stdin })) {
  const { seat, view } = JSON.parse(line);
  process.stdout.write(Buffer.from(observe(view, seat).buffer));
}
