// Starts a workshop: inside its worker, or as a script of the page where that may have no workers. The query names the
// section and the build (`?plan&v=…`), so a cache never mixes two of them.
{
  const script = self.document?.currentScript;
  const own = script ? script.src : location.href;
  const [section, build] = own.split("?")[1].split("&");
  const name = own.split("?")[0].replace("-boot.js", `-${section}`);
  const failed = (error) => {
    if (script) script.dispatchEvent(new ErrorEvent("error", { message: error.message }));
    // Thrown outside the promise, it reaches the page as the worker's error event.
    else setTimeout(() => { throw error; });
  };
  const start = () => {
    // WebKit can leave a worker asleep when its program is compiled; a clock that ticks until then wakes it.
    const awake = setInterval(() => {}, 100);
    wasm_bindgen({ module_or_path: `${name}_bg.wasm?${build}` })
      .catch(failed)
      .finally(() => clearInterval(awake));
  };
  if (script) {
    const glue = document.createElement("script");
    glue.src = `${name}.js?${build}`;
    glue.onload = start;
    glue.onerror = failed;
    document.head.append(glue);
  } else {
    importScripts(`${name}.js?${build}`);
    start();
  }
}
