import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { defineConfig } from "tsup";

interface Manifest {
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

// Run in a package's folder: the package's doors are its entries, so a new package needs no configuration of its own.
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
const sources = Object.values(manifest.exports).flatMap((door) => door["@chainwright/source"] ?? []);

export default defineConfig({
  entry: Object.fromEntries(sources.map((source) => [relative("src", source).replace(/\.ts$/, ""), source])),
  format: "esm",
  target: "node22.12",
  dts: true,
  sourcemap: true,
  clean: true,
  splitting: true,
});
