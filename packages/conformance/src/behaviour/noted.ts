import { isChainwrightError } from "chainwright";
import { present } from "../check.ts";
import { inTime } from "./event-log.ts";
import type { AppFixture } from "./fixture.ts";

/** The output of a chain that completes. */
export async function ended(fixture: AppFixture, id: string): Promise<unknown> {
  return (await inTime("it ends", fixture.client.awaitChain({ id }))).output;
}

/** What the attempts of a job have noted. */
export async function notesOf({ state, clock }: AppFixture, jobId: string) {
  const query = { items: [{ jobId }], lines: 1_000, order: "ascending", memos: "all" } as const;
  const [notes] = await state.adapter.listNotes(query, { now: clock.now() });
  return present("notes", notes);
}

/** The code of a rejection. */
export function codeOf(error: unknown): string {
  return isChainwrightError(error) ? error.code : String(error);
}
