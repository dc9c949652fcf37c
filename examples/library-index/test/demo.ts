import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
/** With these flags every supported Node version runs the sources directly. */
const sourceFlags = [
  "--conditions=@chainwright/source",
  "--disable-warning=ExperimentalWarning",
  "--experimental-strip-types",
];

/** The demo in a process of its own, as a user starts it. */
export interface Demo {
  readonly pid: number;
  /** Standard output and standard error so far. */
  output(): string;
  /** Resolves when the output has some text; rejects when the demo ends without it. */
  says(text: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** Resolves with its exit code or its signal. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

export function startDemo(...args: string[]): Demo {
  const child = spawn(process.execPath, [...sourceFlags, main, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const onOutput = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      for (const look of onOutput) look();
    });
  }
  // "close" is raised when the outputs have ended, including those of the worker processes.
  const ended = once(child, "close").then(([code, signal]: unknown[]) => {
    if (typeof code === "number") return code;
    return signal as NodeJS.Signals;
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return {
    pid: child.pid ?? 0,
    output: () => output,
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (output.includes(text)) resolve();
        };
        onOutput.add(look);
        look();
        void ended.then(() => reject(new Error(`the demo ended without printing ${JSON.stringify(text)}:\n${output}`)));
      }),
    kill: (signal) => void child.kill(signal),
    ended,
  };
}

/** A folder for one test. */
export async function createFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "library-index-test-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
