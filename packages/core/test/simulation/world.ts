import { createErasedClient } from "../../src/client/erased-client.ts";
import { createInProcessStateAdapter } from "../../src/in-process/state-adapter.ts";
import type { NotifyAdapter } from "../../src/ports/notify.ts";
import type { StateAdapter } from "../../src/ports/state.ts";
import { createErasedProcessors } from "../../src/worker/erased-processors.ts";
import { mergeProcessors } from "../../src/worker/processor.ts";
import { assembleWorker, type Worker } from "../../src/worker/worker.ts";
import { checkWorkerOptions } from "../../src/worker/worker-options.ts";
import { createBroker, faultyBroker } from "./faulty-broker.ts";
import { faultyState } from "./faulty-state.ts";
import { handlers, middleware, versionsOf } from "./handlers.ts";
import { createLife, type Life } from "./life.ts";
import { createStreams } from "./random-streams.ts";
import type { BrokerRates, FaultRates, ProcessSpec, Scenario } from "./scenario.ts";
import { createScheduler, type Scheduler } from "./scheduler.ts";
import { watchDebounce } from "./watch-debounce.ts";
import { watchPauses } from "./watch-pauses.ts";
import { createWatch, type Watch } from "./watch.ts";

export type SimulatedClient = ReturnType<typeof createErasedClient>["client"];

/** A client and a worker with a connection and a clock of their own. */
export interface SimulatedProcess {
  readonly name: string;
  readonly spec: ProcessSpec;
  readonly client: SimulatedClient;
  readonly worker: Worker;
  readonly life: Life;
  /** Undefined: it works. */
  stopping: "stopping" | "stopped" | undefined;
}

/** A store, and the processes that come and go around it. */
export interface World {
  readonly scheduler: Scheduler;
  readonly store: StateAdapter;
  readonly watch: Watch;
  readonly processes: SimulatedProcess[];
  /** Whether things go wrong. */
  readonly isFaulty: () => boolean;
  spawn(spec: ProcessSpec): SimulatedProcess;
  /** From now on nothing goes wrong. */
  heal(): void;
}

/** What goes wrong now. */
interface Weather {
  faults: FaultRates;
  broker: BrokerRates;
}

export const noFaults: FaultRates = { failBefore: 0, replyLost: 0, delay: 0, die: 0, choke: 0, busy: 0 };
export const noBroker: BrokerRates = { lost: 0, doubled: 0, late: 0, junk: 0 };

export function createWorld(scenario: Scenario, keepsHistory: boolean): World {
  const streams = createStreams(scenario.seed);
  const scheduler = createScheduler(streams(0));
  const broker = createBroker();
  const weather: Weather = { faults: scenario.faults, broker: scenario.broker };
  const rescheduled = new Map<string, number>();
  const watch = createWatch(scheduler.now, keepsHistory);
  const world: World = {
    scheduler,
    store: watchPauses(
      watchDebounce(createInProcessStateAdapter({ clock: scheduler }), scheduler.now, watch.violations),
      watch.violations,
    ),
    watch,
    processes: [],
    isFaulty: () => Object.values(weather.faults).some((rate) => rate > 0),
    spawn(spec) {
      const index = world.processes.length;
      const life = createLife(scheduler, spec.skewMinutes * 60_000, streams(1 + index));
      const spawned = createProcess(world, { index, spec, life, broker, weather, rescheduled });
      world.processes.push(spawned);
      return spawned;
    },
    heal() {
      weather.faults = noFaults;
      weather.broker = noBroker;
    },
  };
  return world;
}

interface Birth {
  readonly index: number;
  readonly spec: ProcessSpec;
  readonly life: Life;
  readonly broker: NotifyAdapter;
  readonly weather: Weather;
  readonly rescheduled: Map<string, number>;
}

function createProcess(world: World, birth: Birth): SimulatedProcess {
  const { spec, life, weather } = birth;
  const { watch } = world;
  const { client, engine } = createErasedClient({
    stateAdapter: faultyState(world.store, life, () => weather.faults, watch),
    notifyAdapter: faultyBroker(birth.broker, life, () => weather.broker, spec.hears),
    jobTypes: { definitions: undefined },
    versions: versionsOf(spec),
    clock: life.clock,
    observers: [(event) => watch.event(event)],
  });
  const all = handlers({
    client,
    life,
    spec,
    violation: (text) => void watch.violations.push(text),
    hasStopped: () => simulated.stopping === "stopped",
    rescheduled: birth.rescheduled,
  });
  const { step, quick, effect } = all;
  const own = { everything: all, steps: { step, effect }, "quick-ones": { quick, effect } }[spec.handles];
  const processors = createErasedProcessors({ client, jobTypes: {}, processors: own, middleware: [middleware] });
  const { concurrency, prefetch, pools } = spec;
  const known = { hasNotifyAdapter: true, fewestAttempts: 60 };
  const options = checkWorkerOptions({ concurrency, prefetch, pools, leaseMs: 2_000, pollIntervalMs: 1_000 }, known);
  const worker = assembleWorker(engine, mergeProcessors([processors]), options);
  const name = `process ${birth.index}`;
  const simulated: SimulatedProcess = { name, spec, client, worker, life, stopping: undefined };
  return simulated;
}
