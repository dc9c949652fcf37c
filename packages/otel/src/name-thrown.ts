import { describeError, type EventError } from "chainwright/adapter";

/** Describes a thrown value of any kind. Returns undefined for a reschedule, which is not a failure. */
export function nameThrown(error: unknown): EventError | undefined {
  const described = describeError(error);
  return described.name === "Reschedule" ? undefined : described;
}
