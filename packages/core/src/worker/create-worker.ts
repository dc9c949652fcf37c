import { engineOf } from "../client/internal.ts";
import { invalid, isList, show } from "../checks/check-options.ts";
import { listNames } from "../checks/list-names.ts";
import type { AnyEnv } from "../types/env.ts";
import type { Client } from "../types/client.ts";
import type { Processors } from "../types/processors.ts";
import { processorsOf } from "./create-processors.ts";
import { checkBatches } from "./batch-options.ts";
import { checkAttemptOptions } from "./attempt-options.ts";
import { mergeProcessors, type Processor } from "./processor.ts";
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
export interface CreateWorkerOptions<in out E extends AnyEnv, out Names extends string = string> extends WorkerOptions {
  readonly client: Client<E>;
  /**
   * The handlers that it runs, as `createProcessors` returned them, one value for each slice. They must be made for this client, or for
   * one with the same state adapter and the same slices.
   */
  readonly processors: readonly Processors<Names>[];
  /** The job types that it claims. Default: all types for which it has a handler. */
  readonly types?: readonly NoInfer<Names>[] | undefined;
}

/**
 * Creates a worker for the handlers of some slices. It does nothing before `start`.
 *
 * @throws `invalid-input` for unknown or invalid options, for processors of another client, for processors without a handler and
 * for `types` without one; `duplicate-job-type` when two slices handle one type; `closed` when the client is closed
 * @example
 * await using worker = createWorker({ client, processors: [orderProcessors, mailProcessors], concurrency: 10 });
 * await worker.start();
 * const mailsOnly = createWorker({ client, processors: [orderProcessors, mailProcessors], types: ["mail.send"] });
 */
export function createWorker<E extends AnyEnv, Names extends string>(options: CreateWorkerOptions<E, Names>): Worker {
  const engine = engineOf(options.client);
  engine.lifetime.assertOpen();
  if (!isList(options.processors))
    throw invalid(
      `processors must be an array of values that createProcessors returned; got ${show(options.processors)}.`,
    );
  const forAll = { retry: options.retry, timeoutMs: options.timeoutMs };
  checkAttemptOptions(forAll, "createWorker");
  const groups = options.processors.map((processors) => processorsOf(processors, engine));
  const all = mergeProcessors(groups, forAll);
  if (all.size === 0)
    throw invalid(
      "processors must have a handler for at least one job type; got none. Pass what createProcessors returned.",
    );
  const processors = options.types === undefined ? all : ofTypes(all, options.types);
  const fewestAttempts = Math.min(...Array.from(processors.values(), ({ retry }) => retry.maxAttempts));
  const checked = checkWorkerOptions(options, { hasNotifyAdapter: engine.hub.health !== undefined, fewestAttempts });
  checkBatches(processors.values(), checked.leaseMs);
  return assembleWorker(engine, processors, checked);
}

/** The processors of some types, each of which must have one: a worker of a misspelt type would wait in vain. */
function ofTypes(all: ReadonlyMap<string, Processor>, types: unknown): ReadonlyMap<string, Processor> {
  if (!isList(types) || types.length === 0)
    throw invalid(`types must be an array with the name of at least one job type; got ${show(types)}.`);
  return new Map(
    types.map((typeName) => {
      const processor = typeof typeName === "string" ? all.get(typeName) : undefined;
      if (processor === undefined)
        throw invalid(
          `types must name job types that the processors handle; got ${show(typeName)}, and they handle ${listNames(all.keys())}.`,
        );
      return [processor.typeName, processor];
    }),
  );
}
