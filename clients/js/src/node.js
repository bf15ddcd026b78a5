/** What only Node can do. */
import { readFile } from "node:fs/promises";
import path from "node:path";

/** Return the files of a bot's folder on disk, for `loadBot`. */
export async function readFolder(folder) {
  const card = JSON.parse(await readFile(path.join(folder, "bot.json"), "utf-8"));
  return { card, model: await readFile(path.join(folder, "bot.onnx")) };
}
