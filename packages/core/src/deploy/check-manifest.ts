import { engineOf } from "../client/internal.ts";
import { checkKeys, invalid, show } from "../checks/check-options.ts";
import { unreachable } from "./check-types.ts";
import { isServed, groupsOf, namesOf } from "./code.ts";
import { manifestOfTypes, type Manifest, type ManifestType } from "./manifest.ts";
import type { ManifestOptions } from "./manifest-of.ts";
import { reportOf, type DeployReport, type Found } from "./report.ts";
import { mergeProcessors } from "../worker/processor.ts";

/**
 * What `checkManifest` takes.
 *
 * @example
 * const against: Manifest = { manifest: 1, types: {} };
 * const options: CheckManifestOptions = { client, processors: [orderProcessors, mailProcessors], against };
 * const { findings } = checkManifest(options);
 */
export interface CheckManifestOptions extends ManifestOptions {
  /** What `manifestOf` returned for the release that runs in production. */
  readonly against: Manifest;
  /** Job types whose workers belong to other programs, which stay as they are. */
  readonly servedElsewhere?: readonly string[] | undefined;
}

/**
 * Compares the code with the manifest of the release in production, without a database: for a test that runs before a change is
 * merged. It finds removed job types, and versions that were removed.
 *
 * @throws `invalid-input` for unknown or invalid options
 * @example
 * const against: Manifest = { manifest: 1, types: {} };
 * const { findings, ok } = checkManifest({ client, processors: [orderProcessors, mailProcessors], against });
 * if (!ok) throw new Error(findings.map(({ message }) => message).join("\\n"));
 */
export function checkManifest(options: CheckManifestOptions): DeployReport {
  checkKeys(options, { client: true, processors: true, against: true, servedElsewhere: true }, "checkManifest");
  const engine = engineOf(options.client);
  const processors = mergeProcessors(groupsOf(engine, options.processors));
  const types = manifestOfTypes(engine, new Set(processors.keys()));
  const code = { processors, types, servedElsewhere: namesOf(options.servedElsewhere) };
  const before = Object.entries(typesOf(options.against)).filter(([, { handled }]) => handled);
  const kept = before.filter(([typeName]) => isServed(code, typeName));
  return reportOf([
    ...before.filter((type) => !kept.includes(type)).map(([typeName]) => removed(typeName)),
    ...unreachable(
      kept.map(([typeName]) => typeName),
      code,
    ),
    ...kept.flatMap(([typeName, type]) => fewerVersions(typeName, type, types.get(typeName))),
  ]);
}

function removed(typeName: string): Found {
  const message = `"${typeName}" has a processor in production and none in this code: keep it until its jobs have ended, or name the type in servedElsewhere.`;
  return { code: "no-processor", typeName, message };
}

function fewerVersions(typeName: string, before: ManifestType, now: ManifestType | undefined): readonly Found[] {
  if (now === undefined) return [];
  return (["inputVersion", "outputVersion"] as const).flatMap((payload): readonly Found[] => {
    const [version, newest] = [before[payload], now[payload]];
    if (version <= newest) return [];
    const message = `Production writes ${payload === "inputVersion" ? "inputs" : "outputs"} of "${typeName}" in version ${version}, and this code knows versions up to ${newest}: keep all steps of the versions that were deployed.`;
    return [{ code: "newer-version", typeName, message, details: { version, newest } }];
  });
}

function typesOf(against: unknown): Manifest["types"] {
  if (!isManifest(against)) throw invalid(`against must be what manifestOf returned; got ${show(against)}.`);
  return against.types;
}

function isManifest(value: unknown): value is Manifest {
  if (typeof value !== "object" || value === null) return false;
  const types: unknown = Reflect.get(value, "types");
  return Reflect.get(value, "manifest") === 1 && typeof types === "object" && types !== null;
}
