import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The fields of a package.json that the checks read. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly license?: string;
  readonly private?: boolean;
  readonly type?: string;
  readonly files?: readonly string[];
  readonly main?: string;
  readonly types?: string;
  readonly typesVersions?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** A package of the workspace that users install. */
export interface PublicPackage {
  readonly folder: string;
  readonly manifest: Manifest;
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

export function publicPackages(root: string): PublicPackage[] {
  return readdirSync(join(root, "packages"))
    .map((name) => join(root, "packages", name))
    .filter((folder) => existsSync(join(folder, "package.json")))
    .map((folder) => ({ folder, manifest: manifestIn(folder) }))
    .filter(({ manifest }) => manifest.private !== true);
}

/** Returns the names that users import, such as `chainwright` and `chainwright/testing`. */
export function doorsOf({ name, exports }: Manifest): string[] {
  return Object.keys(exports).map((door) => name + door.slice(1));
}
