// Unpacks the program that this file carries and starts it. GLUE is the program's own JavaScript, START its first function.
GLUE;
const stopped = () => {
  page.dataset.program = "failed";
  document.getElementById("crash")?.removeAttribute("hidden");
};
const watch = (error) => error instanceof WebAssembly.RuntimeError && stopped();
addEventListener("error", (event) => watch(event.error));
addEventListener("unhandledrejection", (event) => watch(event.reason));
try {
  await START({ module_or_path: await unpacked() });
  page.dataset.program = "running";
} catch (error) {
  console.error(error);
  stopped();
}

async function unpacked() {
  const packed = Uint8Array.from(atob(document.getElementById("program").textContent), (byte) => byte.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}
