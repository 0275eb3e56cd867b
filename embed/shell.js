// What an embed says to the page around it, and what it hears from there. The sandbox gives it an origin of its own, so
// the only proof of who speaks is the window that a message comes from.
if ("embed" in page.dataset && parent !== self) {
  let told = 0;
  const tell = () => {
    const height = Math.ceil(page.getBoundingClientRect().height);
    if (height !== told) parent.postMessage({ type: "kvbudget:height", v: 1, height: (told = height) }, "*");
  };
  new ResizeObserver(tell).observe(page);
  // A frame that is out of sight sleeps before its observer wakes: it tells its height at once.
  if (innerWidth) tell();
  addEventListener("message", ({ source, data }) => {
    if (source !== parent || data?.type !== "kvbudget:theme" || data.v !== 1) return;
    if (data.theme === "light" || data.theme === "dark") page.dataset.theme = data.theme;
    if (data.theme === "auto") delete page.dataset.theme;
  });
}
