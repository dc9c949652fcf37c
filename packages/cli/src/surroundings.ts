/**
 * What the program uses of its process, so that a test or another program can run it.
 *
 * @example
 * const printed: string[] = [];
 * const surroundings: Surroundings = {
 *   args: ["--store", "sqlite:jobs.db", "types"],
 *   env: {},
 *   folder: process.cwd(),
 *   print: (text) => void printed.push(text),
 *   complain: (text) => void process.stderr.write(text),
 *   ask: async () => undefined,
 *   read: async function* () {},
 *   untilStopped: async () => await new Promise(() => undefined),
 *   columns: undefined,
 * };
 * const code = await run(surroundings);
 */
export interface Surroundings {
  /** The arguments after the program's name. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where relative paths begin, and where the configuration is looked for. */
  readonly folder: string;
  /** Writes to the output, as it is. */
  readonly print: (text: string) => void;
  /** Writes messages, questions and progress, as they are. */
  readonly complain: (text: string) => void;
  /** Asks the person at the terminal; undefined: there is no terminal. */
  readonly ask: (question: string) => Promise<string | undefined>;
  /** The standard input, in pieces. */
  readonly read: () => AsyncIterable<string>;
  /** Resolves when the program has to end (SIGINT, SIGTERM). */
  readonly untilStopped: () => Promise<void>;
  /** The width of the terminal; undefined: the output is not a terminal. */
  readonly columns: number | undefined;
}
