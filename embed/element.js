// <kv-budget preset="baseline-0.88"></kv-budget>: a live scenario inside any page. Attributes are the keys of a scenario's
// address. What stands inside the element is shown where the frame cannot be.
(() => {
  const home = new URL(".", document.currentScript.src);
  const keys = "KEYS".split(" ");
  // A stranger in the frame could ask for any height.
  const within = (height) => `${Math.min(4e3, Math.max(40, height)) || 480}px`;
  // Colours that nobody else uses tell which scheme the host has where the element stands.
  const schemes = { "rgb(1, 2, 3)": "light", "rgb(4, 5, 6)": "dark" };

  class KvBudget extends HTMLElement {
    static observedAttributes = keys;
    #frame;
    #probe = document.createElement("span");
    #heard;
    #waiting;
    #height;
    #silent;
    #seen = new IntersectionObserver((seen) => {
      clearTimeout(this.#silent);
      if (!seen.at(-1).isIntersecting) return;
      const frame = this.#frame;
      this.#silent = setTimeout(() => frame.told || this.#show(frame, false), 6e3);
    });

    constructor() {
      super();
      this.attachShadow({ mode: "open" }).append(document.createElement("slot"), this.#probe);
      Object.assign(this.#probe.style, { color: "light-dark(#010203, #040506)", transition: "color 1ms" });
      this.#probe.ontransitionend = () => this.#paint();
    }

    connectedCallback() {
      addEventListener("message", (this.#heard = (event) => this.#hear(event)));
      document.addEventListener("securitypolicyviolation", this.#heard);
      this.#load();
    }

    disconnectedCallback() {
      this.#seen.disconnect();
      clearTimeout(this.#silent);
      removeEventListener("message", this.#heard);
      document.removeEventListener("securitypolicyviolation", this.#heard);
    }

    attributeChangedCallback(name) {
      if (!this.#frame) return;
      if (name === "theme") this.#paint();
      else this.#waiting ??= Promise.resolve().then(() => this.#load());
    }

    #load() {
      this.#waiting = undefined;
      const query = new URLSearchParams({ embed: 1 });
      for (const key of keys) if (this.hasAttribute(key)) query.set(key, this.getAttribute(key));
      if (this.#theme !== "auto") query.set("theme", this.#theme);
      const frame = document.createElement("iframe");
      frame.sandbox = "SANDBOX";
      frame.loading = "lazy";
      frame.referrerPolicy = "no-referrer";
      frame.title = this.title || "KV cache budget of an SGLang server";
      frame.src = new URL(`embed.html?${query}`, home);
      this.style.display = "block";
      Object.assign(frame.style, { width: "100%", border: 0, height: this.#height ?? within(this.getAttribute("height") || 480) });
      // A frame that the page's own policy blocks never answers: then what stands inside the element is shown instead. It is
      // waited for only while it is in view: browsers load a frame early and let it sleep until then.
      frame.onload = () => frame.told || this.#seen.observe(frame);
      this.#seen.disconnect();
      clearTimeout(this.#silent);
      this.#frame?.remove();
      this.#frame = frame;
      this.#show(frame, true);
      this.shadowRoot.append(frame);
    }

    #show(frame, shown) {
      frame.style.display = shown ? "block" : "none";
      this.shadowRoot.firstChild.style.display = shown ? "none" : "contents";
    }

    // The attribute's, or the host's where that is not what the reader's system asks for: WebKit lends it to no frame.
    get #theme() {
      const theme = this.getAttribute("theme") ?? "auto";
      const host = schemes[getComputedStyle(this.#probe).color];
      const own = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
      return theme === "auto" && host && host !== own ? host : theme;
    }

    #paint() {
      this.#frame?.contentWindow?.postMessage({ type: "kvbudget:theme", v: 1, theme: this.#theme }, "*");
    }

    #hear({ source, data, blockedURI }) {
      const frame = this.#frame;
      // Not every browser tells the frame itself that it was blocked.
      if (blockedURI && frame.src.startsWith(blockedURI)) this.#show(frame, false);
      if (source !== frame?.contentWindow || data?.type !== "kvbudget:height" || data.v !== 1 || !Number.isFinite(data.height)) return;
      if (!frame.told) this.#show(frame, (frame.told = true));
      this.#seen.unobserve(frame);
      frame.style.height = this.#height = within(data.height);
    }
  }

  customElements.get("kv-budget") ?? customElements.define("kv-budget", KvBudget);
})();
