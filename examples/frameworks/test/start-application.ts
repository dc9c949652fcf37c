import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "@chainwright/backends/loopback";
import { stageApplication } from "./stage.ts";

/** An application that listens on a port of 127.0.0.1. */
export interface Application {
  readonly port: number;
  stop(): Promise<void>;
}

/** Next.js compiles for seconds, and for minutes beside busy processes. */
const buildTimeoutMs = 280_000;

/** Starts a recipe of the guide as a program of its own. `listens` is what follows the recipe in the program. */
export async function startProgram(name: string, recipe: string, listens: string): Promise<Application> {
  const text = `import { dashboard } from "./shop.js";\n${recipe.replace("listen(3000)", "listen(port)")}\n`;
  const program = `${text}${listens}\n`.replace(/^(?!import)/m, "const port = Number(process.env.PORT);\n");
  const folder = stageApplication(name, { "main.js": program });
  return await start(folder, ["main.js"]);
}

/** Builds and starts an application of Next.js with the recipe's files. */
export async function startNext(files: Readonly<Record<string, string>>): Promise<Application> {
  const folder = stageApplication("next", files);
  const next = join(dirname(createRequire(import.meta.url).resolve("next/package.json")), "dist/bin/next");
  await promisify(execFile)(process.execPath, [next, "build"], {
    cwd: folder,
    env: environment({}),
    timeout: buildTimeoutMs,
    killSignal: "SIGKILL",
  });
  return await start(folder, [next, "start", "--hostname", "127.0.0.1"]);
}

async function start(folder: string, args: readonly string[]): Promise<Application> {
  const port = await freePort();
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: environment({ PORT: String(port) }),
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const exited = once(child, "exit");
  while (!(await responds(port))) {
    if (child.exitCode !== null) throw new Error(`${folder} ended before it was ready: ${errors}`);
    await sleep(50);
  }
  return {
    port,
    async stop() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

async function responds(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/jobs/-/session`)).ok;
  } catch {
    return false;
  }
}

/** Vitest's own settings, as NODE_ENV, must not reach a framework. */
function environment(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1", ...more };
}
