import { fork } from "node:child_process";

type Message<Figures> =
  | { readonly progress: string }
  | { readonly figures: Figures }
  | { readonly failure: string; readonly stack?: string | undefined };

/**
 * Measures in a process of its own, whose module calls `answerParent`: neither its garbage nor its compiled code is another
 * row's. Rejects with why there are no figures.
 */
export function inChild<Figures>(module: URL, request: object, progress: (step: string) => void): Promise<Figures> {
  const child = fork(module, [], { execArgv: [...process.execArgv, "--expose-gc"] });
  return new Promise<Figures>((resolve, reject) => {
    child.on("message", (message: Message<Figures>) => {
      if ("progress" in message) progress(message.progress);
      else if ("figures" in message) resolve(message.figures);
      else reject(Object.assign(new Error(message.failure), { stack: message.stack }));
    });
    child.on("exit", (code, signal) => reject(new Error(`its process ended with ${signal ?? `status ${code}`}`)));
    child.on("error", reject);
    child.send(request);
  });
}

/** Connections and timers that a measured library leaves behind are not worth waiting for. */
const exitWithinMs = 1_000;

/**
 * The other side of `inChild`: receives what to measure, reports progress, and returns figures or why there are none. Ends
 * the process a moment after that, or at once if the parent ends before.
 */
export function answerParent(work: (request: unknown, progress: (step: string) => void) => Promise<unknown>): void {
  const send = (message: Message<unknown>): void => void process.send?.(message);
  const endAsOrphan = (): never => process.exit(1);
  process.once("disconnect", endAsOrphan);
  process.once("message", (request: unknown) => {
    work(request, (progress) => send({ progress }))
      .then((figures) => send({ figures }))
      .catch((error: unknown) =>
        send(error instanceof Error ? { failure: messageOf(error), stack: error.stack } : { failure: String(error) }),
      )
      .finally(() => {
        process.off("disconnect", endAsOrphan);
        process.disconnect();
        setTimeout(() => process.exit(), exitWithinMs).unref();
      });
  });
}

/** Clients report a refused connection as an error with an empty message around the attempts at each address. */
function messageOf(error: Error): string {
  if (error instanceof AggregateError) return error.errors.map(String).join("; ");
  return error.message === "" ? error.name : error.message;
}
