import { createWorker, type Worker, type WorkerOptions } from "chainwright";
import type { NotifyAdapter, StateAdapter } from "chainwright/adapter";
import { present } from "../check.ts";
import { rememberLastCall, type Call } from "../last-call.ts";
import type { NotifyBackend } from "../notify/backend.ts";
import type { StateBackend, UserTable } from "../state/backend.ts";
import { isRead } from "../state/reads.ts";
import { clientOf, type AppClient } from "./app-client.ts";
import { processorsOf, type Handlers } from "./handlers.ts";
import { createLeapingClock, type LeapingClock } from "./leaping-clock.ts";
import { createUnreliableState, type UnreliableState } from "./unreliable-state.ts";
import { createWatchedNotify, type WatchedNotify } from "./watched-notify.ts";
import { createEventLog, type EventLog } from "./event-log.ts";

/** Represents one process of an application: a client with connections of its own. */
export interface Process {
  readonly client: AppClient;
  readonly state: UnreliableState;
  readonly notify: WatchedNotify | undefined;
  /** Starts a worker, which ends with the case at the latest. */
  work(handlers: Handlers, options?: WorkerOptions): Promise<Worker>;
}

/** What a behaviour case works with. */
export interface AppFixture extends Process {
  readonly clock: LeapingClock;
  readonly eventLog: EventLog;
  userTable(): UserTable;
  /** Another process on the same store. */
  process(): Promise<Process>;
}

export interface AppFixtureOptions {
  readonly createState: () => Promise<StateBackend>;
  readonly createNotify: (() => Promise<NotifyBackend>) | undefined;
}

/** Without hints a worker polls. It polls more often than by default, so that cases end soon. */
const looksOften = { pollIntervalMs: 20 } as const;

/** Runs one rule, and ends everything that was started for it. */
export async function runRule(options: AppFixtureOptions, rule: (fixture: AppFixture) => Promise<void>): Promise<void> {
  const backend = await options.createState();
  const channel = await options.createNotify?.();
  const clock = createLeapingClock();
  const eventLog = createEventLog();
  const calls = rememberLastCall(isRead, isIdle);
  const workers: Worker[] = [];
  const states: UnreliableState[] = [];
  const closers: (() => Promise<void>)[] = [];

  const begin = (stateAdapter: StateAdapter, notifyAdapter: NotifyAdapter | undefined): Process => {
    const state = createUnreliableState(calls.watch(stateAdapter));
    states.push(state);
    const notify = notifyAdapter && createWatchedNotify(notifyAdapter);
    const client = clientOf({ stateAdapter: state.adapter, notifyAdapter: notify?.adapter, clock, eventLog });
    closers.push(() => client.close());
    return {
      client,
      state,
      notify,
      async work(handlers, workerOptions) {
        const processors = [processorsOf(client, handlers)];
        const worker = createWorker({ ...(notify === undefined && looksOften), ...workerOptions, client, processors });
        workers.push(worker);
        await worker.start();
        return worker;
      },
    };
  };
  const connect = async (): Promise<Process> => {
    const stateAdapter = (await backend.connect?.()) ?? backend.adapter;
    const notifyAdapter = (await channel?.connect?.()) ?? channel?.adapter;
    closers.unshift(
      () => stateAdapter.close(),
      async () => notifyAdapter?.close(),
    );
    return begin(stateAdapter, notifyAdapter);
  };

  try {
    await rule({
      ...begin(backend.adapter, channel?.adapter),
      clock,
      eventLog,
      userTable: () => present("createState returns a userTable, or `without` must say why not", backend.userTable),
      process: connect,
    }).catch(calls.fail);
  } finally {
    const stopped = Promise.all(workers.map((worker) => worker.stop({ timeoutMs: 0 })));
    // A dead process cannot settle anything; its worker gives up after a while.
    if (states.some((state) => state.isDead())) clock.leap(60_000);
    await stopped;
    for (const close of closers.toReversed()) await close();
    await backend.adapter.close();
    await channel?.adapter.close();
    await channel?.close();
    await backend.close();
  }
}

/** What workers call again and again while there is nothing to do. */
function isIdle({ method, request, ending }: Call): boolean {
  if (method !== "exchange") return method === "heartbeat" || method === "maintain" || method === "renew";
  return isEmpty(request[0], "outcomes") && "reply" in ending && isEmpty(ending.reply, "claimed");
}

function isEmpty(value: unknown, property: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  const list: unknown = Reflect.get(value, property);
  return Array.isArray(list) && list.length === 0;
}
