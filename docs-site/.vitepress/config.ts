import { defineConfig } from "vitepress";

// Dead links fail the build: VitePress checks them unless told otherwise.
export default defineConfig({
  title: "Chainwright",
  description: "Durable, typed chains of background jobs in the database an application already has",
  cleanUrls: true,
  themeConfig: {
    search: { provider: "local" },
    nav: [
      { text: "Start", link: "/start/" },
      { text: "Guides", link: "/guides/chains" },
      { text: "Guarantees", link: "/guarantees/" },
    ],
    sidebar: [
      { text: "Start", items: [{ text: "From nothing to a running chain", link: "/start/" }] },
      {
        text: "Guides",
        items: [
          { text: "Chains and steps", link: "/guides/chains" },
          { text: "Transactions", link: "/guides/transactions" },
          { text: "Errors and retries", link: "/guides/errors" },
          { text: "SQLite and durability", link: "/guides/sqlite" },
          { text: "Observability", link: "/guides/observability" },
          { text: "Testing", link: "/guides/testing" },
        ],
      },
      { text: "Guarantees", items: [{ text: "What we promise", link: "/guarantees/" }] },
    ],
  },
});
