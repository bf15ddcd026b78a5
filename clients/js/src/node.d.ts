import type { Files } from "./index.js";

/** Return the files of a bot's folder on disk. */
export function readFolder(folder: string): Promise<Files>;
