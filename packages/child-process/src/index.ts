import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";

/** A program that runs in a process of its own. */
export interface Child {
  readonly process: ChildProcess;
  /** Resolves when it has written its first line; rejects if it ends before. */
  readonly begun: Promise<void>;
  /** Sends it a line, and resolves with the line of its reply. */
  readonly ask: () => Promise<string>;
  /** Resolves with its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string | null>;
}

export interface Program {
  /** The path of the program, whose only argument is `orders` as JSON. */
  readonly path: string;
  readonly orders: object;
  /** Flags of Node. */
  readonly flags: readonly string[];
  /** Where its standard error goes: a file descriptor, or a pipe. */
  readonly errors: number | "pipe";
  /** More of its environment. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** Runs a program in a process whose input ends with this process, so that the program can end as well. */
export function runChild({ path, orders, flags, errors, env }: Program): Child {
  const child = spawn(process.execPath, [...flags, path, JSON.stringify(orders)], {
    stdio: ["pipe", "pipe", errors],
    env: { ...process.env, NODE_OPTIONS: "", ...env },
  });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error("a child process has no pipes");
  // A write to a process that has just been killed.
  stdin.on("error", () => undefined);
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
  return { process: child, begun, ask, ended };
}
