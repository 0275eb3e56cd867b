// Starts the workshop inside its worker. The query names the build, so a cache never mixes two of them.
importScripts(`workshop.js${self.location.search}`);
wasm_bindgen({ module_or_path: `workshop_bg.wasm${self.location.search}` }).catch((error) => {
  // Thrown outside the promise, it reaches the page as the worker's error event.
  setTimeout(() => {
    throw error;
  });
});
