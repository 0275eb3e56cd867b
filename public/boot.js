// Starts the page: fetches the program that the build named and runs it. A strict policy allows no inline script.
const page = document.documentElement;
const { js } = document.querySelector("script[data-js]").dataset;

// A program that panicked answers nothing any more; the page must not pretend otherwise.
const stopped = () => {
  page.dataset.program = "failed";
  document.getElementById("crash")?.removeAttribute("hidden");
};
const watch = (error) => error?.name === "RuntimeError" && stopped();
addEventListener("error", (event) => watch(event.error));
addEventListener("unhandledrejection", (event) => watch(event.reason));

// What is delivered is painted first, however fast the program comes: starting it takes longer than a frame. Nobody paints a
// page that is out of sight.
const painted = new Promise((done) => {
  requestAnimationFrame(() => setTimeout(done));
  setTimeout(done, document.hidden ? 0 : 1000);
});

try {
  const program = await import(`./${js}`);
  // The page itself fetches the program, against the digest that it holds: an altered one must not run.
  // Where it fetches none, it is about to give way to the embed.
  const [file] = await Promise.all([self.program ?? new Promise(() => {}), painted]);
  await program.default({ module_or_path: file });
  page.dataset.program = "running";
  // Late, and none of the reader's business if it fails: the next visit needs no network.
  setTimeout(() => navigator.serviceWorker?.register("sw.js").catch(() => {}), 4000);
} catch (error) {
  console.error(error);
  stopped();
}
