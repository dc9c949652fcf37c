import { defineJobTypes } from "chainwright";

/** A call starts chains of a group: all of them are there, or none. */
export interface Member {
  readonly group: string;
  /** How many chains the group has. */
  readonly of: number;
}

export const killedJobTypes = defineJobTypes<{
  /** Fails in its first attempt if it is told to, and continues with the second step. */
  "member.begin": { entry: true; input: Member & { readonly fails: boolean }; continueWith: "member.end" };
  "member.end": { input: Member; output: null };
}>();
