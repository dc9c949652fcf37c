import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A TypeScript to measure. */
export interface Compiler {
  /** Major and minor. */
  readonly version: string;
  /** The folder of its package. */
  readonly folder: string;
  readonly tsc: string;
  /** TypeScript 7 checks with several threads by default, and counts for each. */
  readonly flags: readonly string[];
}

const manifests = [
  import.meta.resolve("typescript5/package.json"),
  import.meta.resolve("typescript/package.json"),
  import.meta.resolve("typescript7/package.json"),
];

/** Every supported TypeScript, as this package depends on it. */
export const compilers: readonly Compiler[] = manifests.map((url) => {
  const manifest = fileURLToPath(url);
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string };
  const folder = dirname(manifest);
  return {
    version: version.split(".").slice(0, 2).join("."),
    folder,
    tsc: join(folder, "bin", "tsc"),
    flags: version.startsWith("7.") ? ["--singleThreaded"] : [],
  };
});
