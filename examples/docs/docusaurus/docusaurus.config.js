export default {
  title: "Onboarding",
  url: "https://docs.example",
  baseUrl: "/",
  onBrokenLinks: "throw",
  scripts: [{ src: "https://kv-budget.example/embed.js", async: true }],
  presets: [["classic", { docs: { routeBasePath: "/" }, blog: false }]],
};
