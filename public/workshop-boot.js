// Starts a workshop: inside its worker, or as a script of the page where that may have no workers. The query names the
// section and the build (`?plan&v=…`), so a cache never mixes two of them.
{
  const own = self.document ? document.currentScript.src : location.href;
  const [section, build] = own.split("?")[1].split("&");
  const name = own.split("?")[0].replace("-boot.js", `-${section}`);
  const start = () => {
    // WebKit can leave a worker asleep when its program is compiled; a clock that ticks until then wakes it.
    const awake = setInterval(() => {}, 100);
    wasm_bindgen({ module_or_path: `${name}_bg.wasm?${build}` })
      .catch((error) => {
        // Thrown outside the promise, it reaches the page as the worker's error event.
        setTimeout(() => {
          throw error;
        });
      })
      .finally(() => clearInterval(awake));
  };
  if (self.document) {
    const script = document.createElement("script");
    script.src = `${name}.js?${build}`;
    script.onload = start;
    document.head.append(script);
  } else {
    importScripts(`${name}.js?${build}`);
    start();
  }
}
