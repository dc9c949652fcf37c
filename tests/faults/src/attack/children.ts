import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** How to run programs of this package: against the sources of the library, or against its build. */
export type Against = "sources" | "build";

export interface Child {
  readonly process: ChildProcess;
  /** Resolves when it has reported that it has started; rejects if it ends before. */
  readonly begun: Promise<void>;
  /** Sends it a request, and resolves with the line of its reply. */
  readonly ask: () => Promise<string>;
  /** Resolves with its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string | null>;
}

/** How child processes are started, and those that run. */
export interface Nursery {
  readonly against: Against;
  readonly children: Set<Child>;
  /** Where the end of their output is kept. */
  readonly folder: string;
}

const lastWords = "last-words";

/** The end of the output of child processes. */
export function lastWordsIn(folder: string): string {
  return readFileSync(join(folder, lastWords), "utf8").slice(-5_000);
}

/** Runs a program of `src/work` in a process that ends with this one, because its input then ends, unless it is stopped. */
export function runChild(
  name: "worker-process" | "starter-process",
  orders: object,
  { against, children, folder }: Nursery,
): Child {
  const path = fileURLToPath(new URL(`../work/${name}.ts`, import.meta.url));
  const conditions = against === "sources" ? ["--conditions=@chainwright/source"] : [];
  // A job may try to use up all memory: the limit makes that quick.
  const flags = [...conditions, "--experimental-strip-types", "--no-warnings", "--max-old-space-size=256"];
  const errors = openSync(join(folder, lastWords), "a");
  const env = { ...process.env, NODE_OPTIONS: "" };
  const child = spawn(process.execPath, [...flags, path, JSON.stringify(orders)], {
    stdio: ["pipe", "pipe", errors],
    env,
  });
  closeSync(errors);
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error("a child process has no pipes");
  const ended = new Promise<number | string | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? signal));
  });
  const begun = new Promise<void>((resolve, reject) => {
    stdout.once("data", () => resolve());
    void ended.then(() => reject(new Error("it ended before it had begun")), reject);
  });
  // A process that is killed before it has begun is not waited for.
  begun.catch(() => undefined);
  const ask = async (): Promise<string> => {
    const line = once(stdout, "data").then(([data]) => String(data));
    stdin.write("\n");
    return Promise.race([line, ended.then((how) => Promise.reject(new Error(`it ended with ${String(how)}`)))]);
  };
  const running: Child = { process: child, begun, ask, ended };
  children.add(running);
  void ended.then(
    () => children.delete(running),
    () => children.delete(running),
  );
  return running;
}
