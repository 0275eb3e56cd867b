// KV Budget as a JavaScript module: the same model as the page, for other pages, notebooks and Node.js.
//
//   import { evaluate } from "https://…/api/kv-budget.js";
//   evaluate("f=0.88").tokens; // 159171
//
// Everything is computed here; nothing is sent anywhere. Types: kv-budget.d.ts.
import start, * as program from "./program.js";

const address = new URL("program_bg.wasm", import.meta.url);
if (address.protocol === "file:" && globalThis.process) {
  // Node.js fetches no files.
  const { readFile } = await import("node:fs/promises");
  await start({ module_or_path: await readFile(address) });
} else {
  await start({ module_or_path: address });
}

const encoder = new TextEncoder();
const bytes = (text) => (typeof text === "string" ? encoder.encode(text) : text);

/** What the formula gives for a scenario's query, as in the page's address. */
export const evaluate = (query = "") => JSON.parse(program.evaluate(String(query)));

/** What happened in a server's log, and the flag that cures it. */
export const diagnose = (log) => JSON.parse(program.diagnose(bytes(log)));

/** The bytes of KV cache for one token on one GPU, from a model's config.json. */
export const cellSize = (config, options = {}) => {
  const text = typeof config === "string" || config instanceof Uint8Array ? config : JSON.stringify(config);
  const names = { tp: "tp", pp: "pp", dp: "dp", kvDtype: "kv-dtype", draftLayers: "draft-layers", sglang: "sglang" };
  const flag = ([name, value]) => `${names[name] ?? name}=${String(value).replaceAll(/[\r\n]/g, " ")}`;
  const flags = Object.entries(options).filter(([, value]) => value !== undefined);
  return JSON.parse(program.cell_size(bytes(text), flags.map(flag).join("\n")));
};
