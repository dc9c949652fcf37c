import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Against } from "../attack/children.ts";
import type { WorkersOrders } from "./workers-process.ts";

export interface WorkersRunning {
  /** Stops the workers; rejects if their process failed. */
  readonly stop: () => Promise<void>;
}

const program = fileURLToPath(new URL("workers-process.ts", import.meta.url));

/** Starts workers in a process of their own, which ends with this one because its input then ends. */
export async function runWorkers(orders: WorkersOrders, against: Against): Promise<WorkersRunning> {
  const conditions = against === "sources" ? ["--conditions=@chainwright/source"] : [];
  const flags = [...conditions, "--experimental-strip-types", "--no-warnings"];
  const child = spawn(process.execPath, [...flags, program, JSON.stringify(orders)], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  const ended = once(child, "close").then(([code, signal]) => {
    if (code !== 0) throw new Error(`a process of workers ended with ${String(code ?? signal)}`);
  });
  ended.catch(() => undefined);
  await Promise.race([
    once(child.stdout, "data"),
    ended.then(() => Promise.reject(new Error("a process of workers ended before it had started"))),
  ]);
  return {
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
