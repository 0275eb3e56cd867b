// The module at work: each field is handed over as it is typed.
import { cellSize, diagnose, evaluate } from "./kv-budget.js";

const show = (from, to, answer) => {
  const field = document.getElementById(from);
  const tell = () => (document.getElementById(to).textContent = JSON.stringify(answer(field.value), null, 2));
  field.addEventListener("input", tell);
  tell();
};

show("query", "evaluated", evaluate);
show("log", "diagnosed", diagnose);
show("config", "sized", (config) => cellSize(config, { tp: 8 }));
