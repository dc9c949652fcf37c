import { readFileSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { defineConfig } from "tsup";

interface Manifest {
  /** Programs, by name. */
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const manifestIn = (folder: string) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

const sourceOf = (door: Manifest["exports"][string]) =>
  typeof door === "string" ? door : (door["@chainwright/source"] ?? "");

// Run in a package's folder: the package's doors are its entries, so a new package needs no configuration of its own.
const manifest = manifestIn(".");
const programs = Object.values(manifest.bin ?? {}).map((file) =>
  file.replace("/dist/", "/src/").replace(/\.js$/, ".ts"),
);
const sources = [...Object.values(manifest.exports).map(sourceOf), ...programs];

// A workspace package that users do not install beside this one comes along inside it, code and declarations. The
// declarations are bundled only for what does not stand in node_modules, hence the paths.
const bundled = Object.entries(manifest.devDependencies ?? {})
  .filter(([name, version]) => version.startsWith("workspace:") && manifest.peerDependencies?.[name] === undefined)
  .map(([name]) => name);
const paths = bundled.flatMap((name): [string, string[]][] => {
  const folder = realpathSync(join("node_modules", name));
  return Object.entries(manifestIn(folder).exports).map(([door, target]) => [
    join(name, door),
    [join(folder, sourceOf(target))],
  ]);
});

export default defineConfig({
  entry: Object.fromEntries(sources.map((source) => [relative("src", source).replace(/\.ts$/, ""), source])),
  format: "esm",
  target: "node22.12",
  dts: { compilerOptions: { paths: Object.fromEntries(paths) as Record<string, string[]> } },
  // chainwright/schedules contains croner, so that core has no dependencies.
  noExternal: [...bundled, "croner"],
  sourcemap: true,
  clean: true,
  splitting: true,
  // `node:sqlite` has no other name.
  removeNodeProtocol: false,
});
