// Sections that open on demand are not in this file, but in the one that carries everything. It is a whole page too, and
// must be told that it is an embed.
if (/[?&]show=[^&]*(ON_DEMAND)/.test(location.search)) {
  const told = /[?&]embed=1/.test(location.search) ? "" : "&embed=1";
  location.replace("kv-budget.html" + location.search + told);
}
