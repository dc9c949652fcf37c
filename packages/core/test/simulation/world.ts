import { createErasedClient } from "../../src/client/erased-client.ts";
import { createInProcessNotifyAdapter } from "../../src/in-process/notify-adapter.ts";
import { createInProcessStateAdapter } from "../../src/in-process/state-adapter.ts";
import type { NotifyAdapter } from "../../src/ports/notify.ts";
import type { StateAdapter } from "../../src/ports/state.ts";
import { createErasedProcessors } from "../../src/worker/erased-processors.ts";
import { mergeProcessors } from "../../src/worker/processor.ts";
import { assembleWorker, type Worker } from "../../src/worker/worker.ts";
import { checkWorkerOptions } from "../../src/worker/worker-options.ts";
import { faultyState, type FaultRates, type Life } from "./faulty-state.ts";
import { handlers } from "./handlers.ts";
import { createScheduler, type Scheduler } from "./scheduler.ts";

type Client = ReturnType<typeof createErasedClient>["client"];

/** A client and a worker with a connection and a clock of their own. */
export interface SimulatedProcess {
  readonly client: Client;
  readonly worker: Worker;
  readonly life: Life;
}

/** A store, and the processes that come and go around it. */
export interface World {
  readonly scheduler: Scheduler;
  readonly store: StateAdapter;
  readonly rates: FaultRates;
  /** How often each fault struck. */
  readonly faults: Map<string, number>;
  /** What handlers saw that must not be. */
  readonly violations: string[];
  readonly processes: SimulatedProcess[];
  spawn(): Promise<SimulatedProcess>;
}

const oneHourMs = 3_600_000;

export function createWorld(seed: number): World {
  const scheduler = createScheduler(seed);
  const storeClock = scheduler.clock(0);
  const notify = createInProcessNotifyAdapter();
  const world: World = {
    scheduler,
    store: createInProcessStateAdapter({ clock: storeClock }),
    rates: { failBefore: 0, replyLost: 0, delay: 0, die: 0 },
    faults: new Map(),
    violations: [],
    processes: [],
    async spawn() {
      const spawned = createProcess(world, notify);
      world.processes.push(spawned);
      await spawned.worker.start();
      return spawned;
    },
  };
  return world;
}

function createProcess(world: World, notify: NotifyAdapter): SimulatedProcess {
  const { scheduler, faults, store, rates } = world;
  const skewMs = Math.floor((scheduler.random() - 0.5) * 2 * oneHourMs);
  const life = createLife(scheduler, skewMs);
  const state = faultyState(store, life, rates, (fault) => void faults.set(fault, (faults.get(fault) ?? 0) + 1));
  const { client, engine } = createErasedClient({
    stateAdapter: state,
    notifyAdapter: scheduler.random() < 0.5 ? notify : deafNotify,
    jobTypes: { definitions: undefined },
    clock: life.clock,
  });
  const processors = createErasedProcessors({ client, jobTypes: {}, processors: handlers(world, client, life) });
  const concurrency = 1 + Math.floor(scheduler.random() * 4);
  const options = checkWorkerOptions(
    { concurrency, leaseMs: 2_000, pollIntervalMs: 1_000, prefetch: Math.floor(scheduler.random() * 4) },
    { hasNotifyAdapter: true, fewestAttempts: 60 },
  );
  return { client, worker: assembleWorker(engine, mergeProcessors([processors]), options), life };
}

/** A broker that loses everything. */
const deafNotify: NotifyAdapter = {
  publish: () => Promise.resolve(),
  subscribe: () => Promise.resolve({ close: () => Promise.resolve() }),
  close: () => Promise.resolve(),
};

function createLife(scheduler: Scheduler, skewMs: number): Life {
  const clock = scheduler.clock(skewMs);
  let dead = false;
  let onDeath: (reason: Error) => void = () => undefined;
  const death = new Promise<never>((_, reject) => (onDeath = reject));
  death.catch(() => undefined);
  return {
    clock,
    random: scheduler.random,
    death,
    isDead: () => dead,
    die() {
      dead = true;
      clock.kill();
      onDeath(new Error("the process died"));
    },
  };
}
