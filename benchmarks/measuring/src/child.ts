import { fork } from "node:child_process";

type Message<Figures> =
  | { readonly progress: string }
  | { readonly figures: Figures }
  | { readonly failure: string; readonly stack?: string | undefined };

/** A process that measures. */
export interface Child<Figures> {
  /** Rejects with why there are no figures. */
  readonly figures: Promise<Figures>;
  /** Resolves the `told` of the same word in the process. */
  tell(word: string): void;
}

/**
 * Measures in a process of its own, whose module calls `answerParent`: neither its garbage nor its compiled code is another
 * row's. Resolves when the process has ended, so that it takes nothing from the next one and holds no lock of it. Rejects with why
 * there are no figures.
 */
export function inChild<Figures>(module: URL, request: object, progress: (step: string) => void): Promise<Figures> {
  return startChild<Figures>(module, request, progress).figures;
}

/** The same for a process that waits for a word of its parent. */
export function startChild<Figures>(module: URL, request: object, progress: (step: string) => void): Child<Figures> {
  const child = fork(module, [], { execArgv: [...process.execArgv, "--expose-gc"] });
  const figures = new Promise<Figures>((resolve, reject) => {
    let answer: { readonly figures: Figures } | undefined;
    child.on("message", (message: Message<Figures>) => {
      if ("progress" in message) progress(message.progress);
      else if ("figures" in message) answer = message;
      else reject(Object.assign(new Error(message.failure), { stack: message.stack }));
    });
    child.on("exit", (code, signal) => {
      const settle = (): void => {
        if (answer !== undefined) resolve(answer.figures);
        else reject(new Error(`its process ended with ${signal ?? `status ${code}`}`));
      };
      // Its last message may come after its end.
      if (child.connected) child.once("disconnect", settle);
      else settle();
    });
    child.on("error", reject);
    child.send(request);
  });
  return { figures, tell: (word) => void child.send(word) };
}

/** In a process of `startChild`: resolves when the parent tells it this word. */
export function told(word: string): Promise<void> {
  return new Promise((resolve) => {
    const listen = (message: unknown): void => {
      if (message !== word) return;
      process.off("message", listen);
      resolve();
    };
    process.on("message", listen);
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
