import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { compilers } from "./compilers.ts";

const run = promisify(execFile);
const workspace = fileURLToPath(new URL("../../../", import.meta.url));
const core = join(workspace, "packages/core");

/** The declarations that a user installs, built unless that is left out. */
export async function builtDeclarations(build: boolean): Promise<string> {
  const declarations = join(core, "dist/index.d.ts");
  if (build)
    await run(
      process.execPath,
      [join(workspace, "node_modules/tsup/dist/cli-default.js"), "--config", "../../tsup.config.ts"],
      { cwd: core },
    );
  if (!existsSync(declarations)) throw new Error(`there is no ${declarations}: run without --no-build`);
  return declarations;
}

/** The same declarations a file each, made in a second from the sources: enough for counting, in a test. */
export async function emittedDeclarations(): Promise<EmittedDeclarations> {
  const compiler = compilers.at(-1);
  if (compiler === undefined) throw new Error("no compiler to emit declarations with");
  const folder = mkdtempSync(join(tmpdir(), "chainwright-declarations-"));
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    outDir: folder,
    rootDir: join(core, "src"),
  };
  const typeRoots = [join(workspace, "node_modules/@types")];
  const config = join(folder, "tsconfig.json");
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(workspace, "tsconfig.base.json"),
      compilerOptions: { ...compilerOptions, typeRoots },
      files: [join(core, "src/index.ts")],
    }),
  );
  await run(process.execPath, [compiler.tsc, "-p", config]);
  return { path: join(folder, "index.d.ts"), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

interface EmittedDeclarations {
  readonly path: string;
  remove(): void;
}
