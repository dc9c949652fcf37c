import { signal } from "@preact/signals";
import type { ActionRequest } from "../../../src/protocol/actions.ts";
import { ApiError, post } from "../data/api.ts";
import { say } from "../data/messages.ts";
import { maxItems } from "../data/session.ts";
import { counted } from "../format/number.ts";
import type { AllItems } from "./all-items.ts";
import { wordsFor } from "./offer.ts";

/** An action on all items of a group or a filter, in batches, each of which is audited. It goes on while other pages are shown. */
export interface Sweep {
  readonly id: number;
  readonly action: ActionRequest["action"];
  readonly about: number | undefined;
  readonly done: number;
  readonly refused: number;
}

export const sweeps = signal<readonly Sweep[]>([]);

const stopped = new Set<number>();
let count = 0;

/** Ends a sweep after its batch. What is done stays done. */
export function stopSweep(id: number): void {
  stopped.add(id);
}

/** Walks all items from the first on, whatever the page showed, and acts on each batch. */
export async function sweep(request: Omit<ActionRequest, "ids">, items: AllItems, onDone: () => void): Promise<void> {
  count += 1;
  const id = count;
  const { past, noun } = wordsFor[request.action];
  let done = 0;
  let refused = 0;
  const show = () => {
    const state: Sweep = { id, action: request.action, about: items.about, done, refused };
    sweeps.value = [...sweeps.value.filter((each) => each.id !== id), state];
  };
  show();
  let problem = "";
  try {
    let cursor: string | undefined;
    do {
      const page = await items.next(cursor);
      for (let from = 0; from < page.ids.length && !stopped.has(id); from += maxItems()) {
        const ids = page.ids.slice(from, from + maxItems());
        const response = await post("act", { ...request, ids });
        done += response.done;
        refused += response.refused;
        show();
      }
      cursor = page.nextCursor;
    } while (cursor !== undefined && !stopped.has(id));
  } catch (error) {
    problem = ` Then it failed: ${error instanceof ApiError ? error.message : "something went wrong."}`;
  }
  sweeps.value = sweeps.value.filter((each) => each.id !== id);
  const summary = `${past} ${counted(done, noun)}${refused === 0 ? "" : `; ${refused} refused`}.`;
  const early = stopped.delete(id) ? " It was stopped." : "";
  say(problem === "" && done > 0 ? "done" : "failed", `${summary}${early}${problem}`);
  onDone();
}
