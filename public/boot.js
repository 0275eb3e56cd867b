// Starts the page: fetches the program that the build named and runs it. A strict policy allows no inline script.
const page = document.documentElement;
const { js, wasm } = document.querySelector("script[data-wasm]").dataset;

// A program that panicked answers nothing any more; the page must not pretend otherwise.
const stopped = () => {
  page.dataset.program = "failed";
  document.getElementById("crash")?.removeAttribute("hidden");
};
const watch = (error) => error?.name === "RuntimeError" && stopped();
addEventListener("error", (event) => watch(event.error));
addEventListener("unhandledrejection", (event) => watch(event.reason));

try {
  const program = await import(`./${js}`);
  // The page holds the digest of what it preloads; an altered program must not run.
  const { integrity } = document.querySelector(`link[href$="${wasm.split("/").pop()}"]`);
  await program.default({ module_or_path: fetch(new URL(wasm, import.meta.url), { integrity }) });
  page.dataset.program = "running";
  // Late, and none of the reader's business if it fails: the next visit needs no network.
  setTimeout(() => navigator.serviceWorker?.register("sw.js").catch(() => {}), 4000);
} catch (error) {
  console.error(error);
  stopped();
}
