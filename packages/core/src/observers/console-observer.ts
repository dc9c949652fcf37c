import type { ChainwrightEvent } from "../model/event.ts";
import type { Observer } from "../ports/observer.ts";

/**
 * The options of `consoleObserver`; everything has a default.
 *
 * @example
 * const failuresOnly: ConsoleObserverOptions = {
 *   format: "json",
 *   only: ["chain-failed", "store-lost"],
 *   write: (line) => void process.stderr.write(`${line}\n`),
 * };
 * const client = createClient({ stateAdapter, jobTypes, observers: [consoleObserver(failuresOnly)] });
 */
export interface ConsoleObserverOptions {
  /** Default: text when standard output is a terminal, one JSON object a line otherwise. */
  readonly format?: "text" | "json" | undefined;
  /** Which events to write. Default: all but the ones that come with every exchange and renewal. */
  readonly only?: readonly ChainwrightEvent["type"][] | undefined;
  /** Where a line goes. Default: `console.log`. */
  readonly write?: ((line: string) => void) | undefined;
}

/** Events that occur many times a second: useful for metrics, too many for a reader. */
const frequent: ReadonlySet<ChainwrightEvent["type"]> = new Set(["exchanged", "leases-renewed", "notes-written"]);

/**
 * Writes events to the console: for people in a terminal, for log collectors elsewhere.
 *
 * @example
 * const client = createClient({ stateAdapter, jobTypes, observers: [consoleObserver()] });
 */
export function consoleObserver(options: ConsoleObserverOptions = {}): Observer {
  const { format = process.stdout.isTTY ? "text" : "json", write = (line) => console.log(line) } = options;
  const only = options.only === undefined ? undefined : new Set(options.only);
  const line = format === "json" ? jsonLine : textLine;
  return (event) => {
    const wanted = only === undefined ? !frequent.has(event.type) : only.has(event.type);
    if (wanted) write(line(event));
  };
}

function jsonLine(event: ChainwrightEvent): string {
  return JSON.stringify({ at: new Date().toISOString(), ...event });
}

function textLine({ type, ...fields }: ChainwrightEvent): string {
  const details = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === "object" ? JSON.stringify(value) : String(value)}`);
  return `${new Date().toISOString().slice(11, 23)} ${type.padEnd(18)} ${details.join(" ")}`;
}
