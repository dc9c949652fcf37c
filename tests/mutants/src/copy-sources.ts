import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { readDeclarations } from "./declarations.ts";
import { locate } from "./locate.ts";
import type { Mutant } from "./mutant.ts";

const repository = join(import.meta.dirname, "../../..");
const files = ["package.json", "tsconfig.base.json", "tooling", "vitest.config.ts"];
const workspaces = [
  "packages/conformance",
  "packages/core",
  "packages/gateway",
  "packages/journal",
  "packages/nats",
  "packages/postgres",
  "packages/redis",
  "packages/child-process",
  "packages/sql-transactions",
  "packages/sqlite",
  "tests/backends",
  "tests/faults",
  "tests/mutants",
];

/**
 * A copy of the packages in which tests run as they do here. Links between packages are relative and are kept, so a change in one
 * reaches the others.
 */
export function copySources(): string {
  const root = mkdtempSync(join(tmpdir(), "chainwright-mutants-"));
  for (const path of files) cpSync(join(repository, path), join(root, path), { recursive: true });
  for (const path of workspaces) {
    const filter = (source: string) => !["dist", "coverage"].includes(basename(source));
    cpSync(join(repository, path), join(root, path), { recursive: true, verbatimSymlinks: true, filter });
  }
  symlinkSync(join(repository, "node_modules"), join(root, "node_modules"));
  return root;
}

/** Takes the protection out of the copy. Returns a function that puts it back. */
export function apply(root: string, mutant: Mutant): () => void {
  const { path, start, end } = locate(mutant, readDeclarations(root));
  const source = readFileSync(path, "utf8");
  writeFileSync(path, source.slice(0, start) + mutant.replace + source.slice(end));
  return () => writeFileSync(path, source);
}
