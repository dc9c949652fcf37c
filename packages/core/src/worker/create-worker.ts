import { engineOf } from "../client/internal.ts";
import { invalid, isList, show } from "../checks/check-options.ts";
import type { AnyEnv } from "../types/env.ts";
import type { Client } from "../types/client.ts";
import type { Processors } from "../types/processors.ts";
import { processorsOf } from "./create-processors.ts";
import { checkAttemptOptions } from "./attempt-options.ts";
import { mergeProcessors } from "./processor.ts";
import { checkWorkerOptions, type WorkerOptions } from "./worker-options.ts";
import { assembleWorker, type Worker } from "./worker.ts";

/**
 * The options of `createWorker`.
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
  /** The handlers that it runs, as `createProcessors` returned them, one value for each slice. */
  readonly processors: readonly Processors[];
}

/**
 * Creates a worker for the handlers of some slices. It does nothing before `start`.
 *
 * @throws `invalid-input` for unknown or invalid options and for processors without a handler, `duplicate-job-type` when two slices handle one type, `closed` when the
 * client is closed
 * @example
 * await using worker = createWorker({ client, processors: [orderProcessors, mailProcessors], concurrency: 10 });
 * await worker.start();
 */
export function createWorker<E extends AnyEnv>(options: CreateWorkerOptions<E>): Worker {
  const engine = engineOf(options.client);
  engine.lifetime.assertOpen();
  if (!isList(options.processors))
    throw invalid(
      `processors must be an array of values that createProcessors returned; got ${show(options.processors)}.`,
    );
  const forAll = { retry: options.retry, timeoutMs: options.timeoutMs };
  checkAttemptOptions(forAll, "createWorker");
  const processors = mergeProcessors(options.processors.map(processorsOf), forAll);
  if (processors.size === 0)
    throw invalid(
      "processors must have a handler for at least one job type; got none. Pass what createProcessors returned.",
    );
  const fewestAttempts = Math.min(...Array.from(processors.values(), ({ retry }) => retry.maxAttempts));
  const checked = checkWorkerOptions(options, { hasNotifyAdapter: engine.hub.health !== undefined, fewestAttempts });
  return assembleWorker(engine, processors, checked);
}
