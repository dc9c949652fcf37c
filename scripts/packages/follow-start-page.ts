import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { provideBackend } from "@chainwright/backends";
import { withFreshDatabase } from "@chainwright/backends/fresh-database";
import { isOlder } from "../bootstrap/node-version.mjs";
import { installByName, link } from "./empty-project.ts";
import { runNode, runProgram } from "./run.ts";
import { walksOf, type Walk } from "./start-page.ts";
import type { Tarball } from "./tarball.ts";

/** The folder and the packages with which a section of the page is followed. */
interface Surroundings {
  readonly root: string;
  readonly tarballs: readonly Tarball[];
  readonly folder: string;
  /** The variables that the page asks the reader to export, with their values in this run. */
  readonly given: Readonly<Record<string, string>>;
  /** Runs the programs of the page instead of Node. */
  readonly bun: string | undefined;
}

const page = "docs-site/start/index.md";

/**
 * Executes the steps of the start page, and compares the output with the page. Two things differ: the packages of
 * `npm install` come from the tarballs and this workspace, and exported variables name a server of this run. With `bun`, that
 * program runs what the page runs with Node.
 */
export async function followStartPage(
  root: string,
  tarballs: readonly Tarball[],
  folder: string,
  bun?: string,
): Promise<void> {
  if (bun === undefined && isOlder(process.versions.node, "22.18")) {
    console.log(`the start page: not followed, because Node ${process.versions.node} does not run TypeScript`);
    return;
  }
  const walks = walksOf(readFileSync(join(root, page), "utf8"));
  const postgres = await provideBackend("postgres");
  try {
    await withFreshDatabase(postgres.url, async (url) => {
      for (const walk of walks) {
        follow(walk, { root, tarballs, folder: join(folder, walk.name), given: { POSTGRES_URL: url }, bun });
      }
    });
  } finally {
    await postgres.server?.stop();
  }
  const names = walks.map(({ name }) => name);
  for (const name of ["SQLite", "Postgres"]) {
    if (!names.includes(name)) throw new Error(`${page} must have a section "${name}" that begins in an empty folder`);
  }
  console.log(`the start page: followed to ${names.join(" and ")} on ${bun === undefined ? "Node" : "Bun"}`);
}

function follow({ steps }: Walk, surroundings: Surroundings): void {
  const { root, folder } = surroundings;
  mkdirSync(folder, { recursive: true });
  let printed = "";
  for (const step of steps) {
    if (step.kind === "write") {
      writeFileSync(join(folder, step.path), `${step.text}\n`);
      compile(root, folder, step.path);
    } else if (step.kind === "run") {
      for (const command of step.commands) printed = run(command, surroundings);
    } else if (printed.trim() !== step.printed.trim()) {
      throw new Error(`${page}:${step.line}: the output must be:\n${step.printed}\ngot:\n${printed}`);
    }
  }
}

/** Runs a command of the page, and returns its output. */
function run(command: string, { tarballs, folder, given, bun }: Surroundings): string {
  const install = /^npm install (.*)$/.exec(command);
  if (install?.[1] !== undefined) {
    installByName(install[1].split(" "), tarballs, folder);
    return "";
  }
  const exported = /^export (\w+)=/.exec(command);
  if (exported?.[1] !== undefined) {
    if (given[exported[1]] === undefined) throw new Error(`${page} exports ${exported[1]}, which has no value here`);
    return "";
  }
  const path = [dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const runnable = bun === undefined ? command : command.replace(/^node (?=\S+$)/, `"${bun}" `);
  return runProgram("bash", ["-c", runnable], { cwd: folder, silent: true, environment: { ...given, PATH: path } });
}

/** Compiles a file as an editor does, with the options that the page names. */
function compile(root: string, folder: string, file: string): void {
  link(join(root, "node_modules/@types/node"), join(folder, "node_modules/@types/node"));
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--skipLibCheck", "--types", "node"];
  runNode([join(root, "node_modules/typescript7/bin/tsc"), ...options, file], { cwd: folder, silent: true });
}
