import { describeHost, headOf, showProgress, writeResults } from "@chainwright/bench-measuring";
import { createDashboard } from "@chainwright/dashboard";
import type { AnyClient } from "chainwright";
import Table from "cli-table3";
import { pagesOf, type Page } from "./pages.ts";
import { seed, seedOpen } from "./seed.ts";
import { help, readSettings, type Settings } from "./settings.ts";
import { openStore } from "./store.ts";

interface Figure {
  readonly store: string;
  /** Jobs that wait beside the history. */
  readonly open: number;
  readonly page: string;
  readonly medianMs: number;
  readonly worstMs: number;
}

const origin = "http://localhost";
const budgetMs = 200;

const asked = readSettings(process.argv.slice(2));
if (asked === undefined) console.log(help);
else await main(asked);

async function main(settings: Settings): Promise<void> {
  const host = describeHost();
  console.log(headOf(host));
  const figures: Figure[] = [];
  for (const store of settings.stores) figures.push(...(await measureStore(store, settings)));
  showProgress("");
  console.log(tableOf(figures));
  const late = figures.filter(({ medianMs }) => medianMs > budgetMs);
  console.log(
    `${figures.length - late.length} of ${figures.length} within ${budgetMs} ms at ${settings.chains} chains`,
  );
  writeResults({ host, settings, figures });
}

async function measureStore(name: string, { chains, open, repeat }: Settings): Promise<readonly Figure[]> {
  const store = await openStore(name);
  try {
    const client = await seed(store.adapter, chains, (text) => showProgress(`${name}: ${text}`));
    const figures: Figure[] = [];
    for (const waiting of new Set([0, open])) {
      await seedOpen(client, waiting, (text) => showProgress(`${name}: ${text}`));
      await store.settle();
      for (const page of await pagesOf(client)) {
        showProgress(`${name}, ${waiting} waiting: ${page.name}`);
        figures.push({ store: name, open: waiting, page: page.name, ...(await measure(client, page, repeat)) });
      }
    }
    await client.close();
    return figures;
  } finally {
    await store.close();
  }
}

/** A new dashboard for each request, so that no earlier result is reused. */
async function measure(client: AnyClient, page: Page, repeat: number): Promise<Pick<Figure, "medianMs" | "worstMs">> {
  const times: number[] = [];
  for (let run = 0; run < repeat; run += 1) {
    const dashboard = createDashboard({ client, authorize: () => ({ role: "admin" }) });
    const request = requestOf(page);
    const startedAt = performance.now();
    const response = await dashboard.fetch(request);
    await response.text();
    times.push(performance.now() - startedAt);
    if (response.status !== 200) throw new Error(`${page.name}: the dashboard replied ${response.status}`);
  }
  const sorted = times.toSorted((a, b) => a - b);
  return { medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0, worstMs: sorted.at(-1) ?? 0 };
}

function requestOf({ path, body }: Page): Request {
  if (body === undefined) return new Request(`${origin}/${path}`);
  const headers = { "content-type": "application/json", origin, "x-chainwright-dashboard": "1" };
  return new Request(`${origin}/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

function tableOf(figures: readonly Figure[]): string {
  const table = new Table({
    head: ["store", "waiting", "page", "median ms", "worst ms"],
    colAligns: ["left", "right", "left", "right", "right"],
  });
  table.push(
    ...figures.map(({ store, open, page, medianMs, worstMs }) => [
      store,
      open,
      page,
      medianMs.toFixed(1),
      worstMs.toFixed(1),
    ]),
  );
  return table.toString();
}
