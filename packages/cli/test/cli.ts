import { run } from "../src/run.ts";

/** What a run of the program is given, besides its arguments. */
export interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly folder?: string;
  /** Replies to questions, in order; without them there is no terminal. */
  readonly replies?: readonly string[];
  readonly input?: string;
  /** The width of a terminal. */
  readonly columns?: number | undefined;
  readonly untilStopped?: () => Promise<void>;
  readonly onComplain?: (text: string) => void;
  readonly onPrint?: (text: string) => void;
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly lines: readonly string[];
  readonly questions: readonly string[];
}

/** Runs the program in this process. */
export async function cli(args: readonly string[], given: Given = {}): Promise<Ran> {
  const { env = {}, folder = "/", replies, input = "", columns } = given;
  const out: string[] = [];
  const err: string[] = [];
  const questions: string[] = [];
  const code = await run({
    args,
    env: { ...env },
    folder,
    print: (text) => {
      out.push(text);
      given.onPrint?.(text);
    },
    complain: (text) => {
      err.push(text);
      given.onComplain?.(text);
    },
    ask: async (question) => {
      questions.push(question);
      return replies?.[questions.length - 1];
    },
    read: async function* () {
      yield input;
    },
    untilStopped: given.untilStopped ?? (async () => await new Promise(() => undefined)),
    columns,
  });
  const text = out.join("");
  return { code, out: text, err: err.join(""), lines: text.split("\n").filter((line) => line !== ""), questions };
}
