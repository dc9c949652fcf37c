import { createHash } from "node:crypto";
import type { Context } from "../context.ts";
import type { FailedGroup } from "../protocol/reads.ts";
import type { ErrorView } from "../protocol/views.ts";
import { cut, errorView, type AnyJob } from "../views.ts";
import { foldMessage } from "./fold-message.ts";
import { ownFrame } from "./own-frame.ts";

/** What the failures of one kind have in common. */
export type FailedKind = Pick<FailedGroup, "key" | "typeName" | "errorName" | "message" | "frame">;

/** More of a message is read than counts, because ids of different lengths would move the place where it is cut. */
const read = { message: 1_000, stack: 20_000 };
const longestShown = 300;
/** So much of a folded message counts. */
const longestFolded = 300;

/** The kind of a failure: its type, the name of its error, its message without what differs, and where the application's code threw it. */
export function kindOf(job: AnyJob, { redaction }: Pick<Context, "redaction">): FailedKind {
  const { typeName } = job;
  const error = job.lastError === undefined ? undefined : errorView(job.lastError, job, { redaction, detail: read });
  const errorName = error?.name ?? "";
  const message = error === undefined ? "No error was recorded." : messageOf(error);
  const folded = foldMessage(message).slice(0, longestFolded);
  const frame = ownFrame(error?.stack);
  return {
    key: keyOf([typeName, errorName, folded, frame ?? ""]),
    typeName,
    errorName,
    message: cut(message, longestShown),
    frame,
  };
}

/** With the nearest cause: many failures have the same message, as "fetch failed". */
function messageOf({ message, causes: [cause] }: ErrorView): string {
  return cause === undefined ? message : `${message} (cause: ${cause})`;
}

function keyOf(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 16);
}
