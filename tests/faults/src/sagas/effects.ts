import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StorePlace } from "../store/open-store.ts";

/** A call to another service: what a handler did or undid, or that it told someone of a stop. */
export interface Effect {
  readonly what: "done" | "undone" | "told";
  readonly saga: string;
  /** The key of the step that it is of. Empty with `told`. */
  readonly effect: string;
  /** The job of the handler. */
  readonly jobId: string;
  /** With `done` by a step of the saga itself: which. */
  readonly step?: number | undefined;
}

/** The other service: a file to which processes append lines. What was appended stays, whichever process is killed then. */
export function effectsOf(place: StorePlace) {
  const path =
    place.kind === "sqlite" ? `${place.path}.effects` : join(tmpdir(), `chainwright-effects-${place.schema}`);
  return {
    append: (effect: Effect): void => appendFileSync(path, `${JSON.stringify(effect)}\n`),
    /** In the order in which they were appended. */
    read: (): readonly Effect[] =>
      existsSync(path)
        ? readFileSync(path, "utf8")
            .split("\n")
            .filter((line) => line !== "")
            .map((line) => JSON.parse(line) as Effect)
        : [],
    remove: (): void => rmSync(path, { force: true }),
  };
}
