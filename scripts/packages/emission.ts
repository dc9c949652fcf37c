import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runNode } from "./run.ts";

const fixtures = join(import.meta.dirname, "fixtures/emission");
const compilers = ["typescript5", "typescript7"];

interface Setting {
  readonly files: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

const inferred = ["inferred.mts", "schema.mts"];
const annotated = ["annotated.mts", "schema.mts"];

/** What is inferred can be named under each setting, and can be written by hand for `isolatedDeclarations`. */
const settings: readonly Setting[] = [
  { files: inferred, options: {} },
  { files: inferred, options: { module: "node16" } },
  { files: inferred, options: { module: "esnext", moduleResolution: "bundler" } },
  { files: inferred, options: { composite: true } },
  { files: inferred, options: { strict: false } },
  { files: inferred, options: { strictNullChecks: false } },
  {
    files: inferred,
    options: { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, verbatimModuleSyntax: true },
  },
  { files: annotated, options: { isolatedDeclarations: true } },
];

const always = {
  declaration: true,
  emitDeclarationOnly: true,
  allowImportingTsExtensions: true,
  outDir: "out",
  rootDir: ".",
  module: "nodenext",
  target: "es2023",
  lib: ["es2024", "esnext.disposable"],
  types: ["node"],
  strict: true,
  skipLibCheck: true,
};

/** Emits the declarations of modules that export everything that a client, its processors and its worker have. */
export function emitDeclarations(root: string, project: string): void {
  const folder = join(project, "emission");
  cpSync(fixtures, folder, { recursive: true });
  for (const [index, { files, options }] of settings.entries()) {
    const name = `${index}.json`;
    writeFileSync(join(folder, name), JSON.stringify({ files, compilerOptions: { ...always, ...options } }));
    for (const compiler of compilers) {
      runNode([join(root, "node_modules", compiler, "bin/tsc"), "-p", name], { cwd: folder, silent: true });
    }
  }
  console.log(`declarations: emitted under ${settings.length} settings, isolatedDeclarations among them`);
}
