// Starts the page: fetches the program that the build named and runs it. A strict policy allows no inline script.
const page = document.documentElement;
const { js, wasm } = document.querySelector("script[data-wasm]").dataset;
try {
  const program = await import(`./${js}`);
  await program.default({ module_or_path: new URL(wasm, import.meta.url) });
  page.dataset.program = "running";
} catch (error) {
  console.error(error);
  page.dataset.program = "failed";
  document.getElementById("crash")?.removeAttribute("hidden");
}
