import type { ClaimedJob } from "chainwright/adapter";

/** Memos as a claim returns them: names and values. The checkpoint has no name. */
export type StoredNotes = readonly (readonly [name: string, value: string])[];

export function claimedNotesOf(notes: StoredNotes): Pick<ClaimedJob, "memos" | "checkpoint"> {
  const memos = notes.filter(([name]) => name !== "").map(([name, value]) => ({ name, value }));
  return {
    memos: memos.length === 0 ? undefined : memos,
    checkpoint: notes.find(([name]) => name === "")?.[1],
  };
}
