import { createHash } from "node:crypto";
import type { Context } from "../context.ts";
import type { FailedGroup } from "../protocol/reads.ts";
import type { ErrorView } from "../protocol/views.ts";
import { errorView, type AnyJob } from "../views.ts";

/** What the failures of one kind have in common. */
export type FailedKind = Pick<FailedGroup, "key" | "typeName" | "errorName" | "message" | "frame">;

const detail = { message: 300, stack: 4_000 };

/** The kind of a failure: its type, the name of its error, its message without what differs, and where the application's code threw it. */
export function kindOf(job: AnyJob, { redaction }: Pick<Context, "redaction">): FailedKind {
  const { typeName } = job;
  const error = job.lastError === undefined ? undefined : errorView(job.lastError, job, { redaction, detail });
  const errorName = error?.name ?? "";
  const message = error === undefined ? "No error was recorded." : messageOf(error);
  const frame = ownFrame(error?.stack);
  return { key: keyOf([typeName, errorName, alike(message), frame ?? ""]), typeName, errorName, message, frame };
}

/** With the nearest cause: many failures have the same message, as "fetch failed". */
function messageOf({ message, causes: [cause] }: ErrorView): string {
  return cause === undefined ? message : `${message} (cause: ${cause})`;
}

/** Replaces what differs between failures of one kind: quoted values, addresses, and every word with a digit, such as ids and hashes. */
export function alike(message: string): string {
  return message
    .replaceAll(/"[^"]*"|'[^']*'|`[^`]*`/g, "<text>")
    .replaceAll(/[^\s<>()]+@[^\s<>()]+/g, "<mail>")
    .replaceAll(/[A-Za-z0-9_\-+/=.:]*\d[A-Za-z0-9_\-+/=.:]*/g, (word) => foldedWord(word));
}

/** A trailing sign belongs to the sentence, and what is before the last separator of a path or a pair is often the same in all. */
function foldedWord(word: string): string {
  const end = /[.:,=]+$/.exec(word)?.[0] ?? "";
  return `<id>${end}`;
}

/** The first frame of a stack that is the application's own: `charge (charge.ts)`. Lines move with each deployment, so they do not count. */
export function ownFrame(stack: string | undefined): string | undefined {
  const line = stack
    ?.split("\n")
    .map((each) => each.trim())
    .find((each) => each.startsWith("at ") && !/node_modules|node:|<anonymous>/.test(each));
  if (line === undefined) return undefined;
  const [, name, place] = /^at (?:async )?(?:(.*?) \()?(.*?)(?::\d+){0,2}\)?$/.exec(line) ?? [];
  const file = place?.split(/[/\\]/).at(-1) ?? "";
  return name === undefined ? file : `${name} (${file})`;
}

function keyOf(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 16);
}
