import { createErasedClient } from "../src/client/erased-client.ts";
import { createInProcessStateAdapter } from "../src/in-process/state-adapter.ts";
import type { Clock } from "../src/ports/clock.ts";
import type { NotifyAdapter } from "../src/ports/notify.ts";
import type { StateAdapter } from "../src/ports/state.ts";
import { recordEvents } from "../src/testing/record-events.ts";
import { createVirtualClock } from "../src/testing/virtual-clock.ts";
import { createErasedProcessors } from "../src/worker/erased-processors.ts";
import { mergeProcessors, type ErasedDefinition, type ErasedMiddleware } from "../src/worker/processor.ts";
import { assembleWorker, type Worker } from "../src/worker/worker.ts";
import { checkWorkerOptions, type WorkerOptions } from "../src/worker/worker-options.ts";

export interface RigOptions {
  readonly processors?: Readonly<Record<string, ErasedDefinition>>;
  readonly middleware?: readonly ErasedMiddleware[];
  readonly worker?: WorkerOptions;
  readonly notifyAdapter?: NotifyAdapter;
  /** Puts something between the client and the store. */
  readonly between?: (store: StateAdapter) => Partial<StateAdapter>;
  /** The worker's and the client's own clock; the store keeps to the true one. */
  readonly clock?: (clock: Clock) => Clock;
}

/** A client and a worker on the in-process store, in virtual time. */
export function createRig(options: RigOptions = {}) {
  const clock = createVirtualClock();
  const store: StateAdapter = createInProcessStateAdapter({ clock });
  const events = recordEvents();
  const { client, engine } = createErasedClient({
    stateAdapter: { ...store, ...options.between?.(store) },
    jobTypes: { definitions: undefined },
    clock: options.clock?.(clock) ?? clock,
    observers: [events.observer],
    ...(options.notifyAdapter && { notifyAdapter: options.notifyAdapter }),
  });
  const createWorker = (): Worker => {
    const { processors = {}, middleware = [] } = options;
    const group = createErasedProcessors({ client, jobTypes: {}, processors, middleware });
    return assembleWorker(
      engine,
      mergeProcessors([group]),
      checkWorkerOptions(options.worker ?? {}, { hasNotifyAdapter: true, fewestAttempts: 60 }),
    );
  };
  return {
    clock,
    store,
    events,
    client,
    engine,
    createWorker,
    start: async (typeName: string, input: unknown = null): Promise<string> =>
      String((await client.startChain({ typeName, input }))["id"]),
    job: async (id: string) => (await store.getJobs([id], {}))[0],
  };
}

/** A promise that never settles, as the reply of a half-open connection. */
export function silence<T>(): Promise<T> {
  return new Promise<T>(() => undefined);
}
