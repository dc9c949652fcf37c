import { engineOf } from "../client/internal.ts";
import type { JobTypeDefinition } from "../model/job-type.ts";
import type { AnyClient } from "../types/any-client.ts";

/**
 * The job types of a client that are declared with schemas, by name. Those that are declared by types alone are not known at run time.
 *
 * @throws `invalid-input` for a value that `createClient` did not return
 * @example
 * const entries = [...definitionsOf(client)].filter(([, { entry }]) => entry === true).map(([name]) => name);
 */
export function definitionsOf(client: AnyClient): ReadonlyMap<string, JobTypeDefinition> {
  return new Map(engineOf(client).slices.flatMap(({ definitions = {} }) => Object.entries(definitions)));
}
