import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A program of the folder `fixtures` in a process of its own, which ends with this one. */
export interface Program {
  /** Sends it a line and returns its next line. */
  ask(question: string): Promise<unknown>;
  /** Ends it. */
  end(): Promise<void>;
}

/** Resolves when it has reported that it is ready. */
export async function startProgram(name: string, ...parameters: readonly string[]): Promise<Program> {
  const path = fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url));
  const execArgv = ["--conditions=@chainwright/source", "--experimental-strip-types", "--no-warnings"];
  const child = fork(path, parameters, { execArgv });
  const gone = once(child, "exit").then(([code, signal]) => {
    throw new Error(`the program ${name} ended with ${String(code ?? signal)}`);
  });
  gone.catch(() => undefined);
  const answer = async (): Promise<unknown> => {
    const [said] = (await Promise.race([once(child, "message"), gone])) as [unknown];
    return said;
  };
  await answer();
  return {
    ask: (question) => {
      const answered = answer();
      child.send(question);
      return answered;
    },
    end: async () => {
      child.disconnect();
      await gone.catch(() => undefined);
    },
  };
}
