import { engineOf } from "../client/internal.ts";
import { checkKeys } from "../checks/check-options.ts";
import type { AnyClient } from "../types/any-client.ts";
import type { Processors } from "../types/processors.ts";
import { groupsOf } from "./code.ts";
import { manifestOfTypes, type Manifest } from "./manifest.ts";

/**
 * What `manifestOf` takes.
 *
 * @example
 * const options: ManifestOptions = { client, processors: [orderProcessors, mailProcessors] };
 * console.log(JSON.stringify(manifestOf(options)));
 */
export interface ManifestOptions {
  readonly client: AnyClient;
  /** The processors of all workers of the program. */
  readonly processors: readonly Processors[];
}

/**
 * Lists the job types of a program with their versions. Write it as JSON when a release is deployed, and give it to `checkManifest`
 * when a change is reviewed. Of types that are declared without schemas it knows those that have a processor or versions.
 *
 * @throws `invalid-input` for a client or processors that are none
 * @example
 * const manifest = manifestOf({ client, processors: [orderProcessors, mailProcessors] });
 * console.log(JSON.stringify(manifest));
 */
export function manifestOf(options: ManifestOptions): Manifest {
  checkKeys(options, { client: true, processors: true }, "manifestOf");
  const engine = engineOf(options.client);
  const handled = groupsOf(engine, options.processors)
    .flat()
    .map(({ typeName }) => typeName);
  return { manifest: 1, types: Object.fromEntries(manifestOfTypes(engine, new Set(handled))) };
}
