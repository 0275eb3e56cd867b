// Starts the page: fetches the program that the build named and runs it. A strict policy allows no inline script.
const { js, wasm } = document.querySelector("script[data-wasm]").dataset;
try {
  const program = await import(`./${js}`);
  await program.default({ module_or_path: new URL(wasm, import.meta.url) });
} catch (error) {
  console.error(error);
  document.getElementById("crash")?.removeAttribute("hidden");
}
