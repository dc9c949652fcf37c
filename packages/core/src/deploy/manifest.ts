import { isList } from "../checks/check-options.ts";
import type { Engine } from "../engine/engine.ts";

/** What a program knows of a job type. */
export interface ManifestType {
  /** Whether it has a processor. */
  readonly handled: boolean;
  /** The newest versions of its input and output that the code knows. */
  readonly inputVersion: number;
  readonly outputVersion: number;
  /** The types that it may continue with. Undefined: unknown, because it is declared by types alone, or by shape. */
  readonly continueWith?: readonly string[] | undefined;
  /** The types of the chains that it may wait for. Undefined: unknown. */
  readonly blockers?: readonly string[] | undefined;
}

/** The job types of a program as plain data, which can be written as JSON. */
export interface Manifest {
  /** The version of this format. */
  readonly manifest: 1;
  readonly types: Readonly<Record<string, ManifestType>>;
}

/** The job types that the code knows at run time: of slices without schemas those with a processor or with versions. */
export function manifestOfTypes(engine: Engine, handled: ReadonlySet<string>): ReadonlyMap<string, ManifestType> {
  const definitions = new Map(engine.slices.flatMap((slice) => Object.entries(slice.definitions ?? {})));
  const { versions } = engine.types;
  const names = new Set([...definitions.keys(), ...handled, ...versions.names]);
  return new Map(
    Array.from(names, (typeName) => {
      const definition = definitions.get(typeName);
      const type: ManifestType = {
        handled: handled.has(typeName),
        inputVersion: versions.newestInput(typeName),
        outputVersion: versions.newestOutput(typeName),
        continueWith: definition && namesIn(definition.continueWith),
        blockers: definition && namesIn(definition.blockers),
      };
      return [typeName, type] as const;
    }),
  );
}

/** Undefined where a target is given by shape: only the compiler knows which types it means. */
function namesIn(targets: unknown): readonly string[] | undefined {
  const all: readonly unknown[] = targets === undefined ? [] : isList(targets) ? targets : [targets];
  const names = all.filter((target) => typeof target === "string");
  return names.length === all.length ? names : undefined;
}
