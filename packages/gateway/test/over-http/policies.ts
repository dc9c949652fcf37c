import type { AnyClient } from "chainwright";
import { definitionsOf } from "chainwright/remote";
import type { Handler } from "./attempt.ts";
import { reasons } from "./reasons.ts";
import { outOfReach, type CaseRun } from "./run-case.ts";

type Options = Readonly<Record<string, unknown>>;

/** Handlers as `createProcessors` took them. */
export interface GivenProcessors {
  readonly client: AnyClient;
  readonly processors: Readonly<Record<string, Handler | Options>>;
  readonly middleware?: readonly unknown[];
  readonly retry?: object;
  readonly leaseMs?: number;
  readonly timeoutMs?: number;
}

export interface GivenWorker extends Options {
  readonly client: AnyClient;
}

/** A gateway grants no longer ones. */
const longestLeaseMs = 86_400_000;
const defaultLeaseMs = 30_000;

/** The handlers by their types, and the policies that the gateway has for them. */
export function handlersOf(
  run: CaseRun,
  { client, given }: { readonly client: AnyClient; readonly given: Options },
  groups: readonly GivenProcessors[],
) {
  const handlers = new Map<string, Handler>();
  const elsewhere: Record<string, object> = {};
  const definitions = definitionsOf(client);
  let shortestMs = Number(given["leaseMs"] ?? defaultLeaseMs);
  for (const { processors, middleware = [], ...shared } of groups) {
    if (middleware.length > 0) outOfReach(run, reasons.middleware);
    for (const [typeName, processor] of Object.entries(processors)) {
      const own: Options = typeof processor === "function" ? { handler: processor } : processor;
      if (own["batch"] !== undefined) outOfReach(run, reasons.batch);
      if ((own["timeoutMs"] ?? shared.timeoutMs) !== undefined) outOfReach(run, reasons.timeout);
      const retry = merged(given["retry"], shared.retry, own["retry"]);
      if (retry["when"] !== undefined) outOfReach(run, reasons.when);
      const leaseMs = own["leaseMs"] ?? shared.leaseMs ?? given["leaseMs"];
      shortestMs = Math.min(shortestMs, Number(leaseMs ?? shortestMs));
      handlers.set(typeName, own["handler"] as Handler);
      const definition = definitions.get(typeName);
      if (definition === undefined || Reflect.get(definition, "elsewhere") === true)
        elsewhere[typeName] = { retry, ...(leaseMs !== undefined && { leaseMs }) };
      else if (Object.keys(retry).length > 0) outOfReach(run, reasons.declaredHere);
    }
  }
  return { handlers, elsewhere, leaseMs: Math.min(shortestMs, longestLeaseMs) };
}

function merged(...options: readonly unknown[]): Options {
  return Object.assign({}, ...options.filter((each) => typeof each === "object" && each !== null)) as Options;
}
