// The hands of the section "Send this state": saves what its buttons carry, and shows how an embed looks. Fetched when the
// section is opened.
{
  const kinds = { md: "text/markdown", json: "application/json", csv: "text/csv", svg: "image/svg+xml" };

  // A picture of twice the size, for screens with fine pixels.
  const painted = async (svg) => {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.naturalWidth * 2;
    canvas.height = image.naturalHeight * 2;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  };

  const save = async (button) => {
    const { save: name, text } = button.dataset;
    const kind = name.split(".").pop();
    const blob = kind === "png" ? await painted(text) : new Blob([text], { type: `${kinds[kind]};charset=utf-8` });
    const link = document.createElement("a");
    link.download = name;
    link.href = URL.createObjectURL(blob);
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    button.textContent = "Saved";
  };

  const show = (place) => {
    const query = place?.dataset.preview;
    if (query === undefined || place.shown === query) return;
    place.shown = query;
    if (!customElements.get("kv-budget") && !document.getElementById("element")) {
      const script = document.createElement("script");
      script.id = "element";
      script.src = new URL("embed.js", document.baseURI);
      document.head.append(script);
    }
    const element = document.createElement("kv-budget");
    for (const [key, value] of new URLSearchParams(query)) element.setAttribute(key, value);
    place.replaceChildren(element);
  };

  const root = document.getElementById("share-more");
  root.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-save]");
    if (button) save(button).catch(() => (button.textContent = "Could not be saved"));
  });
  const look = () => show(document.getElementById("share-preview"));
  new MutationObserver(look).observe(root, { childList: true, subtree: true, attributeFilter: ["data-preview"] });
  look();
}
