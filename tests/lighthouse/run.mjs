// Lighthouse on one page with its mobile settings: the median of several runs, what is lost where, and whether it is enough.
// Arguments: the address, the folder of the reports, how many runs.
import { writeFileSync } from "node:fs";
import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";

const WANTED = { performance: 98, accessibility: 100, "best-practices": 100, seo: 100 };
const [url, folder, runs] = process.argv.slice(2);

const flags = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"];
if (process.getuid?.() === 0) flags.push("--no-sandbox");

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const reports = [];
for (let run = 1; run <= Number(runs); run += 1) {
  // A browser of its own each time, so nothing is cached.
  const chrome = await launch({ chromeFlags: flags });
  try {
    const { lhr } = await lighthouse(url, { port: chrome.port, logLevel: "error", onlyCategories: Object.keys(WANTED) });
    if (lhr.runtimeError) throw new Error(lhr.runtimeError.message);
    writeFileSync(`${folder}/lighthouse-${run}.json`, JSON.stringify(lhr));
    reports.push(lhr);
  } finally {
    await chrome.kill();
  }
}

const last = reports.at(-1);
console.log(`Lighthouse ${last.lighthouseVersion}, ${last.environment.hostUserAgent.match(/Chrome\/[\d.]+/)}, ${last.fetchTime}`);
console.log(`  this machine by Lighthouse's own measure: ${median(reports.map((r) => r.environment.benchmarkIndex))} (a quiet desktop has 1500 and more)`);
let enough = true;
for (const [name, least] of Object.entries(WANTED)) {
  const scores = reports.map((report) => Math.round(report.categories[name].score * 100));
  const score = median(scores);
  enough &&= score >= least;
  console.log(`  ${name.padEnd(16)}${String(score).padStart(4)}   at least ${least}   runs ${scores.join(" ")}${score < least ? "   TOO LITTLE" : ""}`);
  for (const { id, weight } of last.categories[name].auditRefs) {
    const { title, score, displayValue = "", scoreDisplayMode } = last.audits[id];
    if (score !== null && score < 1 && (weight > 0 || scoreDisplayMode === "metricSavings")) console.log(`      ${id}: ${title} ${displayValue}`);
  }
}
for (const id of ["first-contentful-paint", "largest-contentful-paint", "total-blocking-time", "cumulative-layout-shift", "speed-index"]) {
  console.log(`  ${id.padEnd(28)}${median(reports.map((report) => report.audits[id].numericValue)).toFixed(id.startsWith("cumulative") ? 3 : 0)}`);
}
process.exitCode = enough ? 0 : 1;
