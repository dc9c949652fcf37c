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
      page("Deduplication", "/guides/deduplication"),
      page("Errors and retries", "/guides/errors"),
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
      page("Pausing and draining", "/guides/pausing"),
