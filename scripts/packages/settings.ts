import { copyFileSync, cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { runNode } from "./run.ts";

const fixtures = join(import.meta.dirname, "fixtures/settings");
const compilers = { "5.9": "typescript5", "6.0": "typescript", "7.0": "typescript7" } as const;

type Version = keyof typeof compilers;

/** A row of the table in docs-site/guides/modules.md. */
interface Setting {
  readonly file: "application.ts" | "application.mts" | "application.cts" | "jsdoc.mjs";
  readonly options: readonly string[];
  readonly versions: readonly Version[];
  /** The error that the page names. Undefined: it compiles. */
  readonly error?: string;
}

const all: readonly Version[] = ["5.9", "6.0", "7.0"];

const settings: readonly Setting[] = [
  { file: "application.mts", options: ["--module", "nodenext"], versions: all },
  { file: "application.mts", options: ["--module", "node16"], versions: all },
  { file: "application.cts", options: ["--module", "nodenext"], versions: all },
  { file: "application.cts", options: ["--module", "node20"], versions: all },
  { file: "application.cts", options: ["--module", "node18"], versions: all, error: "TS1479" },
  { file: "application.cts", options: ["--module", "node16"], versions: all, error: "TS1479" },
  { file: "application.ts", options: ["--module", "esnext", "--moduleResolution", "bundler"], versions: all },
  { file: "application.ts", options: ["--module", "preserve", "--moduleResolution", "bundler"], versions: all },
  { file: "application.ts", options: ["--module", "commonjs", "--moduleResolution", "node10"], versions: ["5.9"] },
  { file: "jsdoc.mjs", options: ["--module", "nodenext", "--allowJs", "--checkJs"], versions: all },
];

const target = [
  "--strict",
  "--skipLibCheck",
  "--target",
  "es2022",
  "--lib",
  "es2024,esnext.disposable",
  "--types",
  "node",
];
const printed = "receipt for 4200 cents";

/**
 * Compiles an application under each setting that the page on modules names, and runs what the oldest setting emits, and
 * JavaScript with JSDoc, on Node and on Bun.
 */
export function compileSettings(root: string, project: string, bun: string): void {
  const folder = join(project, "settings");
  mkdirSync(folder, { recursive: true });
  cpSync(fixtures, folder, { recursive: true });
  for (const copy of ["application.mts", "application.cts"]) {
    copyFileSync(join(fixtures, "application.ts"), join(folder, copy));
  }
  let compiled = 0;
  for (const { file, options, versions, error } of settings) {
    for (const version of versions) {
      const program = join(root, "node_modules", compilers[version], "bin/tsc");
      const failure = attempt(() =>
        runNode([program, "--noEmit", ...target, ...options, file], { cwd: folder, silent: true }),
      );
      const isExpected = error === undefined ? failure === undefined : failure?.includes(`error ${error}`) === true;
      if (!isExpected) {
        const wanted = error === undefined ? "compile" : `be refused with ${error}`;
        throw new Error(
          `${file} must ${wanted} on TypeScript ${version} with ${options.join(" ")}; got:\n${failure ?? "it compiled"}`,
        );
      }
      compiled += 1;
    }
  }
  const emit = ["--outDir", "out", "--module", "commonjs", "--moduleResolution", "node10"];
  runNode([join(root, "node_modules/typescript5/bin/tsc"), ...target, ...emit, "application.ts"], {
    cwd: folder,
    silent: true,
  });
  for (const file of ["out/application.js", "jsdoc.mjs"]) {
    for (const node of [process.execPath, bun]) {
      const output = runNode([file], { cwd: folder, node, silent: true }).trim();
      if (output !== printed) throw new Error(`${file} must print "${printed}" on ${node}; got ${output}`);
    }
  }
  console.log(`module settings: ${compiled} compilations as the page on modules says, JSDoc and node10 among them`);
}

/** The message of the error that a call throws. */
function attempt(call: () => unknown): string | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
