/** The bot in the folder `?bot=URL`, by default `bot`, decides what the page's fields show. */
import { fetchFolder, loadBot } from "emberdeck-bot";
import * as ort from "onnxruntime-web";

const folder = new URLSearchParams(location.search).get("bot") ?? "bot";
const field = (id) => document.getElementById(id);
const say = (text) => (field("answer").textContent = text);

/** Fill the fields with a golden decision. */
function show({ view, legal_actions: legal }) {
  field("view").value = JSON.stringify(view, null, 2);
  field("legal").value = JSON.stringify(legal);
}

/** Let the bot decide what the fields show, and list what it thought of. */
async function decide(bot) {
  const view = JSON.parse(field("view").value);
  const { name, probabilities, value } = await bot.decide(view, JSON.parse(field("legal").value));
  say(`${name} (expects a reward of ${value.toFixed(2)})`);
  const likely = [...probabilities.entries()].filter(([, chance]) => chance > 0);
  likely.sort(([, a], [, b]) => b - a);
  const items = likely.map(([id, chance]) => {
    const item = document.createElement("li");
    item.textContent = `${bot.card.actions[id]}: ${(100 * chance).toFixed(1)} %`;
    return item;
  });
  field("actions").replaceChildren(...items);
}

try {
  const bot = await loadBot(await fetchFolder(folder), ort);
  const { vectors } = await (await fetch(`${folder}/vectors.json`)).json();
  const options = vectors.map(({ view }, index) => new Option(`${index} ${view.phase}`, index));
  field("decisions").replaceChildren(...options);
  field("decisions").onchange = (event) => show(vectors[event.target.value]);
  field("decide").onclick = () => decide(bot).catch((error) => say(error.message));
  show(vectors[0]);
} catch (error) {
  say(error.message);
}
