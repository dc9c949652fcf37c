import { CommanderError } from "@commander-js/extra-typings";
import { toJson, escapeText } from "./text/escape.ts";
import { Refusal, UsageError } from "./usage-error.ts";

/** An error as it is told: one sentence, and a code for programs. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly exitCode: 1 | 2;
}

/** What to do next, where the error does not say it for this program. */
const nextSteps: Readonly<Record<string, string>> = {
  "not-migrated": "Run `chainwright migrate`.",
  "journal-damaged": "The command for that: `chainwright journal dump FOLDER --salvage NEW`.",
  "schema-too-new": "Install a newer @chainwright/cli.",
};

const shortestSecret = 4;

/** Describes an error without a stack, and without the passwords that the command was given. */
export function failureOf(error: unknown, secrets: readonly string[]): Failure {
  const hide = (text: string): string =>
    secrets
      .filter(({ length }) => length >= shortestSecret)
      .reduce((shown, secret) => shown.replaceAll(secret, "***"), text);
  if (error instanceof UsageError || error instanceof CommanderError) {
    return { code: "usage", message: hide(error.message.replace(/^error: /, "").replaceAll("\n", " ")), exitCode: 2 };
  }
  const code = error instanceof Refusal ? error.code : codeOf(error);
  const next = nextSteps[code];
  const message = next === undefined ? sentenceOf(error) : `${sentenceOf(error).replace(/\.$/, "")}. ${next}`;
  return { code, message: hide(message), exitCode: 1 };
}

function codeOf(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string" && error.code !== "")
    return error.code;
  return "failed";
}

const mostCauses = 3;

/** An error of several addresses has no message of its own; a lost connection is told by its cause. */
function sentenceOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return String(error);
  const own =
    error.message === "" && error instanceof AggregateError ? sentenceOf(error.errors[0], depth) : error.message;
  const cause = error.cause === undefined || depth >= mostCauses ? "" : sentenceOf(error.cause, depth + 1);
  return cause === "" || own.includes(cause) ? own || error.name : `${own} (${cause})`;
}

/** An error as a line for people, or as JSON. */
export function failureLine({ code, message }: Failure, isJson: boolean): string {
  if (isJson) return `${toJson({ error: { code, message } })}\n`;
  const help = code === "usage" ? "Try --help.\n" : "";
  return `chainwright: ${escapeText(message)}\n${help}`;
}
