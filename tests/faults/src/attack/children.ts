import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runChild as run, type Child } from "@chainwright/child-process";

export type { Child } from "@chainwright/child-process";

/** How to run programs of this package: against the sources of the library, or against its build. */
export type Against = "sources" | "build";

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
  const running = run({ path, orders, flags, errors });
  closeSync(errors);
  children.add(running);
  void running.ended.then(
    () => children.delete(running),
    () => children.delete(running),
  );
  return running;
}
