// Before the first paint of an embed: which parts it shows and in which colours, and that the delivered numbers are not
// those of the address. The names of the parts, and which are shown where nobody chose, are filled in by the build.
const page = document.documentElement;
const query = new URLSearchParams(location.search.length > 1 ? location.search : location.hash.slice(1));
if (query.get("embed") === "1") page.dataset.embed = "";
if ("embed" in page.dataset) {
  const asked = (query.get("show") ?? "").split(",").filter((part) => "PARTS".split(" ").includes(part));
  page.dataset.show = asked.join(" ") || "USUAL";
  for (const shown of ["embed", "show", "theme"]) {
    if (shown === "theme" && ["light", "dark"].includes(query.get("theme"))) page.dataset.theme = query.get("theme");
    query.delete(shown);
  }
}
if (String(query)) page.dataset.pending = "";
