import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";

/** How to run programs of this package: against the sources of the library, or against what it is built to. */
export type Against = "sources" | "build";

export interface Child {
  readonly process: ChildProcess;
  /** Resolves when it has said that it has begun; rejects when it ends before. */
  readonly begun: Promise<void>;
  /** Resolves with its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string | null>;
}

/** Where children are begun. */
export interface Nursery {
  readonly against: Against;
  readonly children: Set<Child>;
}

/** Runs a program of `src/work` in a process that ends with this one, for its input ends then, unless it is stopped. */
export function runChild(
  name: "worker-process" | "starter-process",
  orders: object,
  { against, children }: Nursery,
): Child {
  const path = fileURLToPath(new URL(`../work/${name}.ts`, import.meta.url));
  const conditions = against === "sources" ? ["--conditions=@chainwright/source"] : [];
  const flags = [...conditions, "--experimental-strip-types", "--no-warnings"];
  const child = spawn(process.execPath, [...flags, path, JSON.stringify(orders)], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  const ended = new Promise<number | string | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? signal));
  });
  const begun = new Promise<void>((resolve, reject) => {
    child.stdout.once("data", () => resolve());
    void ended.then(() => reject(new Error("it ended before it had begun")), reject);
  });
  // Whoever kills it before it has begun does not wait for that.
  begun.catch(() => undefined);
  const running: Child = { process: child, begun, ended };
  children.add(running);
  void ended.then(
    () => children.delete(running),
    () => children.delete(running),
  );
  return running;
}
