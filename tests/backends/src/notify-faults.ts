import { setTimeout as delay } from "node:timers/promises";
import type { NotifyAdapter } from "chainwright";
import type { Server } from "./server.ts";
import { startProxy } from "./proxy.ts";

/** A notify adapter, and the function that closes what an application would have opened for it. */
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

/** The durations of an outage, as a listener measures them. */
interface Outage {
  /** From the fault to the call of `onLost`. */
  readonly noticedAfterMs: number;
  /** From the end of the fault to the first received hint that was published after it. */
  readonly backAfterMs: number;
}

/** Every wait in this file ends after this time, which is far above the limit for an adapter. */
const patienceMs = 30_000;
const limitMs = 5_000;

/** With `CHAINWRIGHT_FAULTS=long` each server is killed twenty times and frozen for a minute, and the durations are printed. */
const isLong = process.env["CHAINWRIGHT_FAULTS"] === "long";

/** Outages as cases for a test runner. Each case has its own server and spends its time waiting, so cases may run side by side. */
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
    if (noticedAfterMs > limitMs)
      throw new Error(`the outage must be noticed within ${limitMs} ms; got ${noticedAfterMs} ms`);
    if (backAfterMs > limitMs) throw new Error(`hints must arrive again within ${limitMs} ms; got ${backAfterMs} ms`);
  }
}

type Open = NotifyFaultOptions["open"];

/** Every second outage ends at once; the others last until the pauses between two attempts have grown to their full length. */
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

/** Pauses the server, with its connections open, and resumes it. */
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

/** Loses the listener's connections without either end noticing. New connections work at once. */
async function playHalfOpen(server: Server, open: Open): Promise<readonly Outage[]> {
  const proxy = await startProxy(server.port);
  const url = new URL(server.url);
  url.port = String(proxy.port);
  const fault: Fault = { strike: async () => proxy.loseConnections(), lastsMs: 0, heal: async () => {} };
  return await withPair({ publisher: server.url, listener: url.href }, open, async (pair) => {
    try {
      return [await play(pair, fault)];
    } finally {
      // A pool that is being closed waits for all its connections, also for the lost ones.
      await proxy.close();
    }
  });
}

interface Pair {
  readonly publisher: NotifyAdapter;
  readonly heard: Set<string>;
  /** The calls of `onLost` and `onRestored`, with their times. */
  readonly calls: { readonly what: "lost" | "restored"; readonly at: number }[];
}

async function withPair<T>(
  urls: { readonly publisher: string; readonly listener: string },
  open: Open,
  run: (pair: Pair) => Promise<T>,
): Promise<T> {
  const [publisher, listener] = [await open(urls.publisher), await open(urls.listener)];
  const pair: Pair = { publisher: publisher.adapter, heard: new Set(), calls: [] };
  try {
    await listener.adapter.subscribe({
      onMessage({ hints }) {
        for (const hint of hints) if (hint.kind === "ended") pair.heard.add(hint.chainId);
      },
      onLost: () => void pair.calls.push({ what: "lost", at: performance.now() }),
      onRestored: () => void pair.calls.push({ what: "restored", at: performance.now() }),
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
  const before = pair.calls.length;
  const struckAt = performance.now();
  await strike();
  await until("the outage is noticed", () => pair.calls.length > before);
  const noticedAt = pair.calls[before]?.at ?? Infinity;
  await delay(Math.max(0, struckAt + lastsMs - performance.now()));
  await heal();
  const healedAt = performance.now();
  const backAt = await untilHeard(pair, `after-${(hints += 1)}`);
  await until("the end of the outage is reported", () => pair.calls.length > before + 1);
  const names = pair.calls.slice(before).map(({ what }) => what);
  if (names.join() !== "lost,restored") throw new Error(`the reports must be lost,restored; got ${names.join()}`);
  return { noticedAfterMs: Math.round(noticedAt - struckAt), backAfterMs: Math.round(backAt - healedAt) };
}

/** Publishes one message after the other, as an engine does, until one is received; returns the time of that. */
async function untilHeard(pair: Pair, name: string): Promise<number> {
  const startedAt = performance.now();
  for (let turn = 0; performance.now() - startedAt < patienceMs; turn += 1) {
    const hint = { kind: "ended", chainId: `${name}-${turn}` } as const;
    await pair.publisher.publish({ storeId: "s", senderId: "publisher", hints: [hint] }).catch(() => undefined);
    await delay(10);
    if ([...pair.heard].some((id) => id.startsWith(`${name}-`))) return performance.now();
  }
  throw new Error(`a hint must arrive within ${patienceMs} ms; none did`);
}

async function until(what: string, holds: () => boolean): Promise<void> {
  const startedAt = performance.now();
  while (!holds()) {
    if (performance.now() - startedAt > patienceMs)
      throw new Error(`this did not happen within ${patienceMs} ms: ${what}`);
    await delay(5);
  }
}
