// Sections that open on demand are not in this file, but in the one that carries everything.
if (/[?&]show=[^&]*(ON_DEMAND)/.test(location.search)) location.replace("kv-budget.html" + location.search);
