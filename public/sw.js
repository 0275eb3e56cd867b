// The page without a network. A version of the page is one cache, named by the content of its files, so that two builds
// are never mixed. A new version waits until no page of the old one is open: nothing reloads under anybody's hands.
const scope = registration.scope;
const name = `kv-budget ${scope} VERSION`;
// What the page needs to open, kept at once; and what its sections need, kept when they are first used.
const first = FIRST;
const later = LATER;

addEventListener("install", (event) => {
  const fresh = first.map((file) => new Request(new URL(file, scope), { cache: "reload" }));
  event.waitUntil(caches.open(name).then((cache) => cache.addAll(fresh)));
});

addEventListener("activate", (event) => {
  const old = (key) => key.startsWith(`kv-budget ${scope} `) && key !== name;
  event.waitUntil(caches.keys().then((keys) => Promise.all(keys.filter(old).map((key) => caches.delete(key)))));
});

addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || !url.href.startsWith(scope) || url.searchParams.get("embed") === "1") return;
  const file = url.pathname.slice(new URL(scope).pathname.length);
  // Every scenario is the same file, whatever its address carries.
  if (file === "" || file === "index.html") event.respondWith(kept(new URL("./", scope), request, { ignoreSearch: true }));
  else if (first.includes(file + url.search)) event.respondWith(kept(request, request));
  else if (later.includes(file)) event.respondWith(kept(request, request, {}, true));
});

async function kept(key, request, options, keep) {
  const cache = await caches.open(name);
  const found = await cache.match(key, options);
  if (found) return found;
  const answer = await fetch(request);
  // Where nothing more can be kept, it is still an answer.
  if (keep && answer.ok) await cache.put(request, answer.clone()).catch(() => {});
  return answer;
}
