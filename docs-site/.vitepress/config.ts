import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import llmstxt from "vitepress-plugin-llms";
import { doors } from "../samples/doors.ts";

interface Entry {
  readonly text: string;
  readonly link: string;
}

const site = fileURLToPath(new URL("../", import.meta.url));
const page = (text: string, link: string): Entry => ({ text, link });
const isThere = ({ link }: Entry) => existsSync(`${site}${link.endsWith("/") ? `${link}index` : link}.md`);

/** The addresses of the pages that docs-site/scripts/reference.ts writes. */
const addressOf = (door: string): string =>
  existsSync(`${site}reference/${door}/index.md`) ? `/reference/${door}/` : `/reference/${door}`;

const sidebar = [
  {
    text: "Start",
    items: [page("From nothing to a running chain", "/start/"), page("Concepts", "/concepts/")],
  },
  {
    text: "Guides",
    items: [
      page("Chains and their shapes", "/guides/chains"),
      page("Schemas", "/guides/schemas"),
      page("Transactions and ORMs", "/guides/transactions"),
      page("Blockers", "/guides/blockers"),
      page("Scheduling", "/guides/scheduling"),
      page("Schedules", "/guides/schedules"),
      page("Deduplication", "/guides/deduplication"),
      page("Errors and retries", "/guides/errors"),
      page("Waiting for people and systems", "/guides/waiting"),
      page("Long handlers", "/guides/long-handlers"),
      page("When a chain does not succeed", "/guides/stopped-chains"),
      page("Cancelling, completing, retrying", "/guides/cancellation"),
      page("Reading chains and jobs", "/guides/reading"),
      page("Finding chains by tags and keys", "/guides/finding"),
      page("Testing", "/guides/testing"),
      page("Project layout", "/guides/project-layout"),
      page("CommonJS and TypeScript settings", "/guides/modules"),
      page("Reading compile errors", "/guides/compile-errors"),
    ],
  },
  {
    text: "Operation",
    items: [
      page("Deployment and shutdown", "/guides/deployment"),
      page("Rolling deployments", "/guides/rolling-deployments"),
      page("Changing what is in flight", "/guides/in-flight"),
      page("Pausing and draining", "/guides/pausing"),
      page("Checking a deployment", "/guides/checking-deployments"),
      page("My job does not run", "/guides/troubleshooting"),
      page("Scaling out", "/guides/scaling"),
      page("Pools", "/guides/pools"),
      page("Batches", "/guides/batches"),
      page("Limits and fairness", "/guides/limits"),
      page("One at a time per customer", "/guides/one-at-a-time"),
      page("When an API is down", "/guides/api-down"),
      page("CPU work and limits", "/guides/cpu-work"),
      page("Serverless", "/guides/serverless"),
      page("Postgres maintenance", "/guides/postgres"),
      page("Failover", "/guides/failover"),
      page("Finding and repairing faults", "/guides/doctor"),
      page("SQLite and durability", "/guides/sqlite"),
      page("Command line", "/guides/command-line"),
      page("Workers in other languages", "/guides/other-languages"),
      page("Agents", "/guides/agents"),
      page("For coding agents", "/guides/coding-agents"),
      page("Without a database", "/guides/without-a-database"),
      page("Dashboard", "/guides/dashboard"),
      page("Mounting the dashboard", "/guides/mounting-dashboard"),
      page("Observability", "/guides/observability"),
      page("Security", "/guides/security"),
    ],
  },
  {
    text: "Guarantees",
    items: [
      page("Guarantees", "/guarantees/"),
      page("How it is tested", "/guarantees/tests"),
      page("Benchmarks", "/benchmarks/"),
    ],
  },
  {
    text: "Migrating from",
    items: [
      page("BullMQ", "/migrating/bullmq"),
      page("pg-boss", "/migrating/pg-boss"),
      page("graphile-worker", "/migrating/graphile-worker"),
      page("node-cron", "/migrating/node-cron"),
    ],
  },
  {
    text: "Comparison",
    items: [
      page("Overview", "/comparison/"),
      page("BullMQ", "/comparison/bullmq"),
      page("pg-boss", "/comparison/pg-boss"),
      page("graphile-worker", "/comparison/graphile-worker"),
      page("Temporal", "/comparison/temporal"),
      page("Inngest", "/comparison/inngest"),
      page("DBOS", "/comparison/dbos"),
    ],
  },
  {
    text: "Extending it",
    items: [page("Writing an adapter or a driver", "/guides/adapters"), page("Architecture", "/architecture/")],
  },
  {
    text: "Reference",
    collapsed: true,
    items: [
      page("All names, their stability, since when", "/reference/public-names"),
      ...doors().map(({ name }) => page(name, addressOf(name))),
    ],
  },
];

// Dead links fail the build: VitePress checks them by default.
export default defineConfig({
  title: "Chainwright",
  description: "Durable, typed chains of background jobs in the database an application already has",
  cleanUrls: true,
  lastUpdated: false,
  srcExclude: ["diagrams/**", "generated/**"],
  markdown: { theme: { light: "github-light", dark: "github-dark" } },
  // llms.txt, llms-full.txt, and each page as Markdown beside its HTML.
  vite: { plugins: [llmstxt({ ignoreFiles: ["reference/**"] })] },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      page("Start", "/start/"),
      page("Guides", "/guides/chains"),
      page("Guarantees", "/guarantees/"),
      page("Comparison", "/comparison/"),
      page("Reference", "/reference/"),
    ],
    sidebar: sidebar.map((group) => ({ ...group, items: group.items.filter(isThere) })),
  },
});
