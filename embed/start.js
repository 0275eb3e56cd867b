// Unpacks the program that this file carries and starts it. BEFORE is what must be there first; START starts the program.
BEFORE;
const stopped = () => {
  page.dataset.program = "failed";
  document.getElementById("crash")?.removeAttribute("hidden");
};
const watch = (error) => error?.name === "RuntimeError" && stopped();
addEventListener("error", (event) => watch(event.error));
addEventListener("unhandledrejection", (event) => watch(event.reason));
try {
  await START({ module_or_path: await unpacked(document.getElementById("program").textContent) });
  page.dataset.program = "running";
} catch (error) {
  console.error(error);
  stopped();
}
