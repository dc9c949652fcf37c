import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { access, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const inExample = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
const cache = fileURLToPath(new URL("../../../.cache/workers", import.meta.url));
const limit = { timeout: 300_000 };

/** A program that works on jobs. */
export interface WorkerProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
}

/** Python with what the worker needs, in an environment of its own, which is kept. Throws if there is no Python. */
export async function preparePython(): Promise<WorkerProgram> {
  const folder = inExample("python");
  const project = await readFile(join(folder, "pyproject.toml"), "utf8");
  const { stdout: version } = await run("python3", ["--version"], limit);
  const digest = createHash("sha256").update(`${version}${project}`).digest("hex").slice(0, 12);
  const environment = join(cache, `python-${digest}`);
  const python = join(environment, "bin/python");
  const complete = join(environment, "complete");
  if (!(await exists(complete))) {
    await run("python3", ["-m", "venv", "--clear", environment], limit);
    const [, , dependencies = ""] = /^(dependencies = )\[(.*)\]$/m.exec(project) ?? [];
    const names = dependencies.split(",").map((name) => name.trim().replaceAll('"', ""));
    await run(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...names, "mypy>=1.8"], limit);
    await mkdir(complete);
  }
  return { command: python, args: ["words.py"], folder };
}

/** Checks the types of the Python worker. Throws with what is wrong. */
export async function checkPython({ command, folder }: WorkerProgram): Promise<void> {
  await run(command, ["-m", "mypy", "--cache-dir", join(cache, "mypy"), "words.py", "chainwright_worker"], {
    ...limit,
    cwd: folder,
  });
}

/** Builds the Go worker. Throws if there is no Go. */
export async function prepareGo(): Promise<WorkerProgram> {
  const folder = inExample("go");
  const command = join(cache, "go-worker");
  // The sources are all there is: nothing is downloaded, neither modules nor another Go.
  const env = { ...process.env, GOFLAGS: "-buildvcs=false", GOTOOLCHAIN: "local", GOPROXY: "off" };
  await run("go", ["build", "-o", command, "."], { ...limit, cwd: folder, env });
  return { command, args: [], folder };
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

/** Why a language is missing; undefined: it is there. With `CI=true` a missing language is an error. */
export async function missing(command: string, args: readonly string[]): Promise<string | undefined> {
  try {
    await run(command, [...args], limit);
    return undefined;
  } catch (error) {
    if (process.env["CI"] === "true") throw new Error(`CI needs ${command}`, { cause: error });
    return `${command} was not found: ${String(error).split("\n")[0]}`;
  }
}
