import { isChainwrightError } from "chainwright";
import { holds, rejected } from "../check.ts";
import { inTime } from "./event-log.ts";

/** The call is refused because its attempt has ended, for this reason. */
export async function isRefused(what: string, call: Promise<unknown> | undefined, reason: string): Promise<void> {
  const error = await rejected(what, inTime(what, Promise.resolve(call)));
  holds(what, isChainwrightError(error, "attempt-ended") && error.details["reason"] === reason, error);
}
