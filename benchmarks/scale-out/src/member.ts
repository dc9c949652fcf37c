import { fork } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { delay } from "@chainwright/bench-measuring";
import type { Message, Report, Request, Usage } from "./messages.ts";

/** A worker process, seen from its parent. */
export interface Member {
  ask(request: Request): Promise<Usage>;
  /** From now on it is called with what the process reports unasked. */
  listen(listener: (report: Report) => void): void;
  /** Rejects if the process ends before `end`. */
  readonly died: Promise<never>;
  /** Closes the process's queue and ends it. */
  end(): Promise<void>;
}

const workerProcess = fileURLToPath(new URL("worker-process.ts", import.meta.url));
const closeWithinMs = 15_000;
const exitWithinMs = 2_000;

/** Where Node keeps compiled modules by default; with it a process starts with less than half of the CPU. */
const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache") };

/** Starts a process that ends with this one, if not earlier. */
export function startMember(): Member {
  const child = fork(workerProcess, { env });
  const replies: PromiseWithResolvers<Usage>[] = [];
  const death = Promise.withResolvers<never>();
  const exit = Promise.withResolvers<void>();
  let listener = (_report: Report): void => undefined;
  const fail = (error: Error): void => {
    death.reject(error);
    for (const reply of replies.splice(0)) reply.reject(error);
  };
  death.promise.catch(() => undefined);
  child.on("message", (message: Message) => {
    if ("usage" in message) replies.shift()?.resolve(message.usage);
    else if ("failure" in message) replies.shift()?.reject(new Error(message.failure));
    else listener(message);
  });
  child.on("error", fail);
  child.on("exit", (code, signal) => {
    fail(new Error(`a worker process ended with ${signal ?? `status ${code}`}`));
    exit.resolve();
  });
  const ask = (request: Request): Promise<Usage> => {
    const reply = Promise.withResolvers<Usage>();
    replies.push(reply);
    child.send(request, (error) => {
      if (error !== null) fail(error);
    });
    return reply.promise;
  };
  return {
    ask,
    died: death.promise,
    listen: (next) => (listener = next),
    async end() {
      // A process whose queue does not close has nothing left that matters.
      if (child.connected) await Promise.race([ask({ ask: "close" }).catch(() => undefined), delay(closeWithinMs)]);
      if (child.connected) child.disconnect();
      const kill = setTimeout(() => child.kill("SIGKILL"), exitWithinMs);
      await exit.promise;
      clearTimeout(kill);
    },
  };
}
