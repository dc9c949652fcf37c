import {
  createClient,
  createProcessors,
  createWorker,
  defineJobTypes,
  type StoppedChain,
  type Worker,
  type WorkerOptions,
} from "chainwright";
import { eventually, inTime } from "./event-log.ts";
import type { AppFixture, Process } from "./fixture.ts";

interface Order {
  readonly order: number;
}

const jobTypes = defineJobTypes<{
  trip: { entry: true; input: Order; continueWith: "pay"; whenStopped: "sorry" };
  pay: { entry: true; input: Order; continueWith: "hotel" | "pack"; compensate: "refund" };
  hotel: { input: Order; output: null; compensate: "leave" };
  /** It waits for a chain that it starts itself. */
  pack: { input: Order; output: null; blockers: ["reserve"] };
  reserve: { entry: true; input: Order; output: null; compensate: "release" };
  refund: { entry: true; input: Order; output: null };
  leave: { entry: true; input: Order; output: null };
  release: { entry: true; input: Order; output: null };
  sorry: { entry: true; input: StoppedChain<Order>; output: null };
}>();

export type Step = "pay" | "hotel" | "pack" | "reserve";

/** What the handlers of a case do: the effect of a step, after it has recorded what undoes it. */
export interface Script {
  effects: Partial<Record<Step, (order: number) => Promise<void>>>;
  /** What a step does before it records what undoes it. */
  before: Partial<Record<Step, () => Promise<void>>>;
  /** Whether the step that pays is followed by one that waits for a blocker. */
  packs: boolean;
  onRefund: ((order: number) => void) | undefined;
  /** What the handlers have done, in order. */
  readonly done: string[];
}

/** The time that a handler of `hotel` has. */
export const hotelMs = 5_000;

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

export type TripClient = ReturnType<typeof clientOf>;

function processorsOf(client: TripClient, script: Script) {
  const { effects, before, done } = script;
  const act = async (step: Step, { order }: Order): Promise<void> => {
    await effects[step]?.(order);
    done.push(step);
  };
  const undo = (name: string): null => {
    done.push(name);
    return null;
  };
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      trip: async ({ job: { input }, continueWith }) => continueWith({ typeName: "pay", input }),
      pay: async ({ job: { input }, compensateWith, continueWith }) => {
        await before.pay?.();
        await compensateWith({ typeName: "refund", input });
        await act("pay", input);
        const blockers = [{ typeName: "reserve", input }] as const;
        return script.packs
          ? continueWith({ typeName: "pack", input, blockers })
          : continueWith({ typeName: "hotel", input });
      },
      hotel: {
        timeoutMs: hotelMs,
        handler: async ({ job: { input }, compensateWith }) => {
          await before.hotel?.();
          await compensateWith({ typeName: "leave", input });
          await act("hotel", input);
          return null;
        },
      },
      pack: async ({ job: { input } }) => {
        await act("pack", input);
        return null;
      },
      reserve: async ({ job: { input }, compensateWith }) => {
        await compensateWith({ typeName: "release", input });
        await act("reserve", input);
        return null;
      },
      refund: async ({ job: { input } }) => {
        script.onRefund?.(input.order);
        return undo("refund");
      },
      leave: async () => undo("leave"),
      release: async () => undo("release"),
      sorry: async ({ job: { input } }) => undo(`sorry: ${input.status}`),
    },
    retry: { maxAttempts: 1 },
  });
  return [processors];
}

export type TripDesk = ReturnType<typeof deskOn>;

/** Runs a case with a client whose chains have steps that can be undone. */
export async function withTrips(fixture: AppFixture, run: (desk: TripDesk) => Promise<void>): Promise<void> {
  const desk = deskOn(fixture);
  try {
    await run(desk);
  } finally {
    const stopped = Promise.all(desk.workers.map((worker) => worker.stop({ timeoutMs: 0 })));
    // The worker of a dead process gives up after a while.
    if (desk.deadWorkers.size > 0) fixture.clock.leap(60_000);
    await stopped;
    for (const client of desk.clients) await client.close();
  }
}

function deskOn(fixture: AppFixture) {
  const script: Script = { effects: {}, before: {}, packs: false, onRefund: undefined, done: [] };
  const client = clientOf(fixture, fixture);
  const clients = [client];
  const workers: Worker[] = [];
  const deadWorkers = new Set<Worker>();
  const begin = async (of: TripClient, options: WorkerOptions = {}): Promise<Worker> => {
    const pollIntervalMs = fixture.notify === undefined ? 20 : 10_000;
    const processors = processorsOf(of, script);
    const worker = createWorker({ pollIntervalMs, concurrency: 20, ...options, client: of, processors });
    workers.push(worker);
    await worker.start();
    return worker;
  };
  return {
    client,
    clients,
    workers,
    deadWorkers,
    script,
    work: (options?: WorkerOptions) => begin(client, options),
    /** A client of another process. */
    async elsewhere(): Promise<TripClient> {
      const other = clientOf(fixture, await fixture.process());
      clients.push(other);
      return other;
    },
    /** A worker of another process, which can die. */
    async workElsewhere(options?: WorkerOptions): Promise<{ die(): void }> {
      const process = await fixture.process();
      const other = clientOf(fixture, process);
      clients.push(other);
      const worker = await begin(other, options);
      return {
        die() {
          deadWorkers.add(worker);
          process.state.kill();
        },
      };
    },
    book: (options: { readonly deadline?: { readonly afterMs: number } } = {}) =>
      client.startChain({ typeName: "trip", input: { order: 1 }, whenStopped: "sorry", ...options }),
    /** Waits until everything that the stop of a chain has started has completed. */
    async undone(id: string): Promise<void> {
      const isUndone = async () => {
        const chain = await client.getChain({ id });
        return chain?.compensations.at(-1)?.status === "completed";
      };
      await eventually("what follows the stop has completed", isUndone);
    },
    /** A chain that is started now runs on the same workers and completes. */
    async othersRun(): Promise<void> {
      for (const typeName of ["refund", "leave"] as const) {
        const other = await client.startChain({ typeName, input: { order: 2 } });
        await inTime("another chain completes", client.awaitChain(other));
      }
    },
  };
}
