import {
  describeHost,
  fromCommandLine,
  headOf,
  median,
  percentile,
  showProgress,
  writeResults,
} from "@chainwright/bench-measuring";
import { createDashboard } from "@chainwright/dashboard";
import { ChainwrightError, type AnyClient } from "chainwright";
import { isErasedClient } from "chainwright/adapter";
import Table from "cli-table3";
import { pagesOf, type Page } from "./pages.ts";
import { filledBefore, seed, seedOpen } from "./seed.ts";
import { help, readSettings, type Settings } from "./settings.ts";
import { seedDaily } from "./seed-daily.ts";
import { openStore, type Store } from "./store.ts";

/** CPU time of this process and of the server of its store, for a request. */
interface Figure {
  readonly store: string;
  /** Jobs that wait beside the history. */
  readonly open: number;
  readonly page: string;
  readonly cpuMedianMs: number;
  readonly cpuP99Ms: number;
  /** Of the clock: other work on the machine is in it. */
  readonly medianMs: number;
  readonly bytes: number;
}

const origin = "http://localhost";
const budget = { medianMs: 50, p99Ms: 200 };

const asked = fromCommandLine(readSettings);
if (asked === undefined) console.log(help);
else await main(asked);

async function main(settings: Settings): Promise<void> {
  const host = describeHost();
  console.log(headOf(host));
  const figures: Figure[] = [];
  for (const store of settings.stores) figures.push(...(await measureStore(store, settings)));
  showProgress("");
  console.log(tableOf(figures));
  const late = figures.filter(({ cpuMedianMs, cpuP99Ms }) => cpuMedianMs > budget.medianMs || cpuP99Ms > budget.p99Ms);
  console.log(
    `${figures.length - late.length} of ${figures.length} within ${budget.medianMs} ms of CPU at the median and ${budget.p99Ms} ms at the 99th percentile, with ${settings.chains} chains`,
  );
  writeResults({ host, settings, figures });
}

async function measureStore(name: string, { chains, open, repeat, keep }: Settings): Promise<readonly Figure[]> {
  const store = await openStore(name, keep);
  try {
    const onProgress = (text: string) => showProgress(`${name}: ${text}`);
    const filled = await filledBefore(store.adapter);
    const client = filled ?? (await seed(store.adapter, chains, onProgress));
    const figures: Figure[] = [];
    for (const waiting of new Set(filled === undefined ? [0, open] : [open])) {
      if (filled === undefined) await seedOpen(client, waiting, onProgress);
      await seedDaily(store.adapter);
      await store.settle();
      for (const page of await pagesOf(client)) {
        showProgress(`${name}, ${waiting} waiting: ${page.name}`);
        figures.push({
          store: name,
          open: waiting,
          page: page.name,
          ...(await measure(store, { client, page, repeat })),
        });
      }
    }
    await client.close();
    return figures;
  } finally {
    await store.close();
  }
}

interface Asked {
  readonly client: AnyClient;
  readonly page: Page;
  readonly repeat: number;
}

type Measured = Pick<Figure, "cpuMedianMs" | "cpuP99Ms" | "medianMs" | "bytes">;

/** A new dashboard for each request, so that no earlier result is reused. */
async function measure({ serverCpuMs }: Store, { client, page, repeat }: Asked): Promise<Measured> {
  const times: number[] = [];
  const cpu: number[] = [];
  let bytes = 0;
  for (let run = 0; run < repeat; run += 1) {
    const ofRequest = openFor(client);
    const dashboard = createDashboard({ client: ofRequest.client, authorize: () => ({ role: "admin" }) });
    const request = requestOf(page);
    const server = serverCpuMs();
    const own = process.cpuUsage();
    const startedAt = performance.now();
    const response = await dashboard.fetch(request);
    bytes = (await response.arrayBuffer()).byteLength;
    times.push(performance.now() - startedAt);
    const { user, system } = process.cpuUsage(own);
    ofRequest.end();
    cpu.push((user + system) / 1_000 + serverCpuMs() - server);
    if (response.status !== 200) throw new Error(`${page.name}: the dashboard replied ${response.status}`);
  }
  return { cpuMedianMs: median(cpu), cpuP99Ms: percentile(cpu, 0.99), medianMs: median(times), bytes };
}

/**
 * The client of a dashboard that ends with its request. A dashboard looks at the store for a minute after it was asked for its overview:
 * the looks of two hundred of them would be counted for whatever request is under way, and took five seconds of it.
 */
function openFor(client: AnyClient): { readonly client: AnyClient; readonly end: () => void } {
  if (!isErasedClient(client)) throw new TypeError("client must be a value that createClient returned");
  let isOver = false;
  const own = {
    ...client,
    countAllJobs: async () => {
      if (isOver) throw new ChainwrightError("closed", "the request of this dashboard has ended.");
      return await client.countAllJobs();
    },
  };
  return { client: own, end: () => void (isOver = true) };
}

function requestOf({ path, body }: Page): Request {
  if (body === undefined) return new Request(`${origin}/${path}`);
  const headers = { "content-type": "application/json", origin, "x-chainwright-dashboard": "1" };
  return new Request(`${origin}/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

function tableOf(figures: readonly Figure[]): string {
  const table = new Table({
    head: ["store", "waiting", "page", "CPU ms, median", "CPU ms, p99", "median ms", "bytes"],
    colAligns: ["left", "right", "left", "right", "right", "right", "right"],
  });
  table.push(
    ...figures.map(({ store, open, page, cpuMedianMs, cpuP99Ms, medianMs, bytes }) => [
      store,
      open,
      page,
      cpuMedianMs.toFixed(1),
      cpuP99Ms.toFixed(1),
      medianMs.toFixed(1),
      bytes,
    ]),
  );
  return table.toString();
}
