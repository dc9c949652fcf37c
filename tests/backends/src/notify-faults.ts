import { setTimeout as delay } from "node:timers/promises";
import type { NotifyAdapter } from "chainwright";
import type { Server } from "./server.ts";
import { startProxy } from "./proxy.ts";

/** A notify adapter with what an application would have opened for it. */
export interface OpenedAdapter {
  readonly adapter: NotifyAdapter;
  close(): Promise<void>;
}

export interface NotifyFaultOptions {
  readonly start: () => Promise<Server>;
  readonly open: (url: string) => Promise<OpenedAdapter>;
}

export interface FaultCase {
  readonly name: string;
  run(): Promise<void>;
}

/** What an outage looked like to those who listen. */
interface Outage {
  /** From the fault to word of it. */
  readonly noticedAfterMs: number;
  /** From the end of the fault to the first hint that was published since and heard. */
  readonly backAfterMs: number;
}

/** Every wait in here ends; this is far above what is asked of an adapter. */
const patienceMs = 30_000;
const limitMs = 5_000;

/** `CHAINWRIGHT_FAULTS=long`: each server killed twenty times and frozen for a minute, with the figures. */
const isLong = process.env["CHAINWRIGHT_FAULTS"] === "long";

/** Outages of a server of its own each, as cases for a test runner; they spend their time waiting and may run side by side. */
export function notifyFaultCases(options: NotifyFaultOptions): readonly FaultCase[] {
  const within = (scenario: (server: Server) => Promise<readonly Outage[]>) => async () => {
    const server = await options.start();
    try {
      check(await scenario(server));
    } finally {
      await server.stop();
    }
  };
  return [
    {
      name: "hints are back within five seconds whenever the server was killed",
      run: within((server) => playKills(server, options.open)),
    },
    {
      name: "hints are back within five seconds when the server was frozen",
      run: within((server) => playFreeze(server, options.open)),
    },
    {
      name: "a half-open connection is noticed within five seconds, and replaced within five more",
      run: within((server) => playHalfOpen(server, options.open)),
    },
  ];
}

function check(outages: readonly Outage[]): void {
  if (isLong) console.table(outages);
  for (const { noticedAfterMs, backAfterMs } of outages) {
    if (noticedAfterMs > limitMs) throw new Error(`the outage was noticed after ${noticedAfterMs} ms`);
    if (backAfterMs > limitMs) throw new Error(`hints were back after ${backAfterMs} ms`);
  }
}

type Open = NotifyFaultOptions["open"];

/** Some outages end at once, some after the pauses between two attempts have grown to their full length. */
async function playKills(server: Server, open: Open): Promise<readonly Outage[]> {
  return await withPair({ publisher: server.url, listener: server.url }, open, async (pair) => {
    const outages: Outage[] = [];
    for (let round = 0; round < (isLong ? 20 : 2); round += 1) {
      const lastsMs = round % 2 === 0 ? 0 : 4_000;
      outages.push(await play(pair, { strike: () => server.kill(), lastsMs, heal: () => server.restart() }));
    }
    return outages;
  });
}

/** Stops the server in the middle of everything, connections standing, and lets it go on. */
async function playFreeze(server: Server, open: Open): Promise<readonly Outage[]> {
  const fault: Fault = {
    strike: () => server.pause(),
    lastsMs: isLong ? 60_000 : 0,
    heal: () => server.resume(),
  };
  return await withPair({ publisher: server.url, listener: server.url }, open, async (pair) => [
    await play(pair, fault),
  ]);
}

/** Loses the connections of the one that listens, with neither end told. New connections work at once. */
async function playHalfOpen(server: Server, open: Open): Promise<readonly Outage[]> {
  const proxy = await startProxy(server.port);
  const url = new URL(server.url);
  url.port = String(proxy.port);
  const fault: Fault = { strike: async () => proxy.loseConnections(), lastsMs: 0, heal: async () => {} };
  return await withPair({ publisher: server.url, listener: url.href }, open, async (pair) => {
    try {
      return [await play(pair, fault)];
    } finally {
      // A pool that is ended waits for its connections, those that are lost among them.
      await proxy.close();
    }
  });
}

interface Pair {
  readonly publisher: NotifyAdapter;
  readonly heard: Set<string>;
  /** The moments of what was told, "lost" and "restored". */
  readonly told: { readonly what: "lost" | "restored"; readonly at: number }[];
}

async function withPair<T>(
  urls: { readonly publisher: string; readonly listener: string },
  open: Open,
  run: (pair: Pair) => Promise<T>,
): Promise<T> {
  const [publisher, listener] = [await open(urls.publisher), await open(urls.listener)];
  const pair: Pair = { publisher: publisher.adapter, heard: new Set(), told: [] };
  try {
    await listener.adapter.subscribe({
      onMessage({ hints }) {
        for (const hint of hints) if (hint.kind === "ended") pair.heard.add(hint.chainId);
      },
      onLost: () => void pair.told.push({ what: "lost", at: performance.now() }),
      onRestored: () => void pair.told.push({ what: "restored", at: performance.now() }),
    });
    await untilHeard(pair, "before");
    return await run(pair);
  } finally {
    for (const { adapter, close } of [publisher, listener]) {
      await adapter.close();
      await close();
    }
  }
}

interface Fault {
  strike(): Promise<void>;
  readonly lastsMs: number;
  heal(): Promise<void>;
}

let hints = 0;

async function play(pair: Pair, { strike, lastsMs, heal }: Fault): Promise<Outage> {
  const told = pair.told.length;
  const struckAt = performance.now();
  await strike();
  await until("the outage is noticed", () => pair.told.length > told);
  const noticedAt = pair.told[told]?.at ?? Infinity;
  await delay(Math.max(0, struckAt + lastsMs - performance.now()));
  await heal();
  const healedAt = performance.now();
  const backAt = await untilHeard(pair, `after-${(hints += 1)}`);
  await until("the end of the outage is told", () => pair.told.length > told + 1);
  const words = pair.told.slice(told).map(({ what }) => what);
  if (words.join() !== "lost,restored") throw new Error(`told once each, in turns: ${words.join()}`);
  return { noticedAfterMs: Math.round(noticedAt - struckAt), backAfterMs: Math.round(backAt - healedAt) };
}

/** Publishes as an engine does, one message after the other, until one is heard; answers when. */
async function untilHeard(pair: Pair, name: string): Promise<number> {
  const startedAt = performance.now();
  for (let turn = 0; performance.now() - startedAt < patienceMs; turn += 1) {
    const hint = { kind: "ended", chainId: `${name}-${turn}` } as const;
    await pair.publisher.publish({ storeId: "s", senderId: "publisher", hints: [hint] }).catch(() => undefined);
    await delay(10);
    if ([...pair.heard].some((id) => id.startsWith(`${name}-`))) return performance.now();
  }
  throw new Error(`no hint was heard within ${patienceMs} ms`);
}

async function until(what: string, holds: () => boolean): Promise<void> {
  const startedAt = performance.now();
  while (!holds()) {
    if (performance.now() - startedAt > patienceMs) throw new Error(`not within ${patienceMs} ms: ${what}`);
    await delay(5);
  }
}
