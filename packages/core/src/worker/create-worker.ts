import { engineOf } from "../client/internal.ts";
import { invalid, isList } from "../checks/check-options.ts";
import type { AnyEnv } from "../types/env.ts";
import type { Client } from "../types/client.ts";
import type { Processors } from "../types/processors.ts";
import { processorsOf } from "./create-processors.ts";
import { mergeProcessors } from "./processor.ts";
import { checkWorkerOptions, type WorkerOptions } from "./worker-options.ts";
import { assembleWorker, type Worker } from "./worker.ts";

/**
 * What `createWorker` takes.
 *
 * @example
 * function start<E extends AnyEnv>(options: CreateWorkerOptions<E>): Worker {
 *   const worker = createWorker({ name: process.title, ...options });
 *   process.once("SIGTERM", () => void worker.stop());
 *   return worker;
 * }
 * await start({ client, processors: [mailProcessors] }).start();
 */
export interface CreateWorkerOptions<in out E extends AnyEnv> extends WorkerOptions {
  readonly client: Client<E>;
  /** The handlers it runs: what `createProcessors` answered, one for each slice. */
  readonly processors: readonly Processors[];
}

/**
 * Makes a worker for the handlers of some slices. It does nothing before `start`.
 *
 * @throws `invalid-input` for options out of bounds, `duplicate-job-type` when two slices handle one type, `closed` when the
 * client is closed
 * @example
 * await using worker = createWorker({ client, processors: [orderProcessors, mailProcessors], concurrency: 10 });
 * await worker.start();
 */
export function createWorker<E extends AnyEnv>(options: CreateWorkerOptions<E>): Worker {
  const engine = engineOf(options.client);
  engine.staff.assertOpen();
  if (!isList(options.processors))
    throw invalid("createWorker takes processors: an array of what createProcessors answers.");
  const processors = mergeProcessors(options.processors.map(processorsOf));
  const fewestAttempts = Math.min(...Array.from(processors.values(), ({ retry }) => retry.maxAttempts));
  const checked = checkWorkerOptions(options, { hasNotifyAdapter: engine.hub.health !== undefined, fewestAttempts });
  return assembleWorker(engine, processors, checked);
}
