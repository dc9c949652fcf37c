import { checkInteger, checkKeys, checkText, invalid, isList, show } from "../checks/check-options.ts";
import type { Engine } from "../engine/engine.ts";
import type { AnyClient } from "../types/any-client.ts";
import type { RetryOptions } from "../types/retry.ts";
import type { Processors } from "../types/processors.ts";
import { checkAttemptOptions } from "../worker/attempt-options.ts";
import { processorsOf } from "../worker/create-processors.ts";
import { mergeProcessors, type Processor } from "../worker/processor.ts";
import { manifestOfTypes, type Manifest, type ManifestType } from "./manifest.ts";

/**
 * What `checkDeploy` takes.
 *
 * @example
 * const options: CheckDeployOptions = { client, processors: [orderProcessors, mailProcessors], sample: "all" };
 * const { ok } = await checkDeploy(options);
 */
export interface CheckDeployOptions {
  /** A client with the job types and versions of the code that is to be deployed, on the store of production. */
  readonly client: AnyClient;
  /** The processors of all workers of that code. */
  readonly processors: readonly Processors[];
  /** Job types whose workers belong to other programs, which stay as they are. */
  readonly servedElsewhere?: readonly string[] | undefined;
  /** The pools of the workers of that code, as in `createWorker`; `null`: jobs without a pool. Default: `[null]`. */
  readonly pools?: readonly (string | null)[] | undefined;
  /** The `retry` that `createWorker` is given. */
  readonly retry?: RetryOptions | undefined;
  /** How many open jobs of each type it reads. Default: 1,000. */
  readonly sample?: number | "all" | undefined;
  /** What types continue with that are declared by types alone, because nothing knows it at run time. */
  readonly manifest?: Manifest | undefined;
}

const optionKeys = {
  client: true,
  processors: true,
  servedElsewhere: true,
  pools: true,
  retry: true,
  sample: true,
  manifest: true,
} satisfies Record<keyof CheckDeployOptions, true>;

/** The job types that workers handle after the deployment, and what they know of them. */
export interface Served {
  readonly processors: ReadonlyMap<string, Processor>;
  readonly types: ReadonlyMap<string, ManifestType>;
  readonly servedElsewhere: ReadonlySet<string>;
}

/** The code that is to be deployed. */
export interface Code extends Served {
  /** Undefined: jobs without a pool. */
  readonly pools: ReadonlySet<string | undefined>;
  /** How many open jobs of each type are read. */
  readonly sample: number;
}

/** Whether a worker of the code, or of another program, handles a type. */
export function isServed({ processors, servedElsewhere }: Served, typeName: string): boolean {
  return processors.has(typeName) || servedElsewhere.has(typeName);
}

/** Checks the options. */
export function codeOf(engine: Engine, options: CheckDeployOptions): Code {
  checkKeys(options, optionKeys, "checkDeploy");
  const { pools = [null], retry, sample = 1_000, manifest } = options;
  if (!isList(pools)) throw invalid(`pools must be an array of names and null; got ${show(pools)}.`);
  checkAttemptOptions({ retry }, "checkDeploy");
  const processors = mergeProcessors(groupsOf(engine, options.processors), { retry });
  return {
    processors,
    types: withManifest(manifestOfTypes(engine, new Set(processors.keys())), manifest),
    servedElsewhere: new Set([...namesOf(options.servedElsewhere), ...engine.types.elsewhere]),
    pools: new Set(pools.map((pool) => pool ?? undefined)),
    sample: sample === "all" ? Infinity : checkInteger(sample, "sample", { min: 1, max: 1_000_000_000 }),
  };
}

export function namesOf(servedElsewhere: unknown = []): ReadonlySet<string> {
  if (!isList(servedElsewhere))
    throw invalid(`servedElsewhere must be an array of names; got ${show(servedElsewhere)}.`);
  return new Set(servedElsewhere.map((name) => checkText(name, "servedElsewhere", 1_000)));
}

/** The processors of each value that `createProcessors` returned. */
export function groupsOf(engine: Engine, processors: unknown) {
  if (!isList(processors))
    throw invalid(`processors must be an array of values that createProcessors returned; got ${show(processors)}.`);
  return processors.map((each) => processorsOf(each, engine));
}

/** Fills in what only the manifest knows. */
function withManifest(
  own: ReadonlyMap<string, ManifestType>,
  manifest: Manifest | undefined,
): ReadonlyMap<string, ManifestType> {
  const types = new Map(Object.entries(manifest?.types ?? {}));
  for (const [typeName, type] of own) {
    const { continueWith, blockers } = types.get(typeName) ?? {};
    types.set(typeName, {
      ...type,
      continueWith: type.continueWith ?? continueWith,
      blockers: type.blockers ?? blockers,
    });
  }
  return types;
}
