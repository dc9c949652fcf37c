import { createClient, createProcessors, createWorker, defineJobTypes, type Worker } from "chainwright";
import type { AppFixture, Process } from "./fixture.ts";

/** A signal as a case sees it. */
export interface Seen {
  readonly signal: string;
  readonly payload: { readonly n: number };
}

const jobTypes = defineJobTypes<{
  file: { entry: true; input: { ms: number | null }; output: null; continueWith: "approve" };
  /** It ends its chain with what it has received. */
  approve: {
    entry: true;
    input: { times: number };
    signals: { approved: { n: number }; rejected: { n: number }; __proto__: { n: number } };
    output: { ended: Seen | null; all: Seen[] };
  };
  /** A mailbox: it continues with itself until it is rejected. */
  mailbox: {
    entry: true;
    input: { seen: number[] };
    signals: { approved: { n: number }; rejected: { n: number } };
    output: number[];
    continueWith: "mailbox";
  };
}>();

function clientOf({ clock, eventLog }: AppFixture, { state, notify }: Process) {
  const { adapter: stateAdapter } = state;
  return createClient({
    stateAdapter,
    notifyAdapter: notify?.adapter,
    clock,
    jobTypes,
    observers: [eventLog.observer],
  });
}

export type DeskClient = ReturnType<typeof clientOf>;

function processorsOf(client: DeskClient) {
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      file: async ({ job: { input }, continueWith }) =>
        continueWith({
          typeName: "approve",
          input: { times: 1 },
          waitUntil: input.ms === null ? "forever" : { afterMs: input.ms },
        }),
      approve: async ({ job: { received, receivedAll, attempt, input } }) => {
        if (attempt < input.times) throw new Error("again");
        const all = receivedAll.map(({ signal, payload }) => ({ signal, payload }));
        return { ended: received === undefined ? null : { signal: received.signal, payload: received.payload }, all };
      },
      mailbox: async ({ job: { received, input }, continueWith }) => {
        if (received?.signal !== "approved") return input.seen;
        const seen = [...input.seen, received.payload.n];
        return continueWith({ typeName: "mailbox", input: { seen }, waitUntil: "forever" });
      },
    },
    retry: { maxAttempts: 5, backoff: { initialMs: 1, jitter: 0 } },
  });
  return [processors];
}

export type Desk = ReturnType<typeof deskOn>;

/** Runs a case with a client whose job types have signals. */
export async function withDesk(fixture: AppFixture, run: (desk: Desk) => Promise<void>): Promise<void> {
  const desk = deskOn(fixture);
  try {
    await run(desk);
  } finally {
    await Promise.all(desk.workers.map((worker) => worker.stop({ timeoutMs: 0 })));
    for (const client of desk.clients) await client.close();
  }
}

function deskOn(fixture: AppFixture) {
  const client = clientOf(fixture, fixture);
  const clients = [client];
  const workers: Worker[] = [];
  const begin = async (of: DeskClient, pollIntervalMs: number): Promise<Worker> => {
    const worker = createWorker({ client: of, processors: processorsOf(of), concurrency: 20, pollIntervalMs });
    workers.push(worker);
    await worker.start();
    return worker;
  };
  return {
    client,
    clients,
    workers,
    /** Without hints it looks often, so that cases end soon. */
    work: (pollIntervalMs = fixture.notify === undefined ? 20 : 10_000) => begin(client, pollIntervalMs),
    /** A client of another process. */
    async elsewhere(): Promise<DeskClient> {
      const other = clientOf(fixture, await fixture.process());
      clients.push(other);
      return other;
    },
  };
}
