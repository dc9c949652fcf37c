import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./root.ts";

/** A module that users may import. */
export interface Door {
  /** The name in an import: `@chainwright/postgres/pg`. */
  readonly name: string;
  /** Its source file, relative to the root of the repository. */
  readonly source: string;
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports: Readonly<Record<string, { readonly "@chainwright/source": string }>>;
}

/** The doors of all published packages. */
export function doors(): readonly Door[] {
  return globSync("packages/*/package.json", { cwd: root })
    .sort()
    .flatMap((path) => {
      const manifest = JSON.parse(readFileSync(join(root, path), "utf8")) as Manifest;
      if (manifest.private === true) return [];
      return Object.entries(manifest.exports).map(([door, target]) => ({
        name: join(manifest.name, door),
        source: join(dirname(path), target["@chainwright/source"]),
      }));
    });
}
