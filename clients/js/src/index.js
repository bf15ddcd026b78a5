/** Plays Emberdeck's exported bots. */
export { fetchFolder, loadBot } from "./bot.js";
export { observer } from "./observation.js";
