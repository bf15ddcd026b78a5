/** A seat's view document, as `State.view(seat)` writes it. */
export type View = Record<string, any>;

/** bot.json, the card of an exported bot. */
export interface Card {
  game: string;
  game_version: number;
  players: number[];
  blocks: { name: string; offset: number; length: number; meaning: string }[];
  actions: string[];
  score_scale: number;
  mode: Mode;
  [key: string]: any;
}

/** The files of a bot's folder. */
export interface Files {
  card: Card;
  model: Uint8Array;
}

/** How an action is picked: by the probabilities, the likeliest, or at a temperature > 0. */
export type Mode = "sample" | "greedy" | number;

export interface Decision {
  /** The id of the action. */
  action: number;
  /** Its name. */
  name: string;
  /** By action id; 0 for illegal ones. Those of `sample` in every mode. */
  probabilities: number[];
  /** What the network expects to be added to the seat's standing. */
  added: number;
  /** The reward that the seat is expected to get: `added` and its standing. */
  value: number;
}

export interface Bot {
  readonly card: Card;
  observation(view: View, seat?: number): Float32Array;
  decide(
    view: View,
    legalActions: Iterable<number | string>,
    options?: { mode?: Mode; random?: () => number },
  ): Promise<Decision>;
  predict(
    observation: Iterable<number>,
    legalActions: Iterable<number | string>,
  ): Promise<{ logits: Float32Array; added: number }>;
}

/** `ort` is the module onnxruntime-node or onnxruntime-web. */
export function loadBot(files: Files, ort: any, sessionOptions?: object): Promise<Bot>;

/** Return the files of a bot's folder at a URL. */
export function fetchFolder(url: string): Promise<Files>;

/** Return the encoder for the blocks of a card, without a network. */
export function observer(card: Card): (view: View, seat: number) => Float32Array;
