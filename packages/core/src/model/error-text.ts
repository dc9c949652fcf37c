import type { EventError } from "./event-error.ts";

/** An error on one line, without its causes: `Error [ECONNREFUSED]: connect failed`. */
function errorLine({ name, code, message }: EventError): string {
  const head = code === undefined || message.includes(code) ? name : `${name} [${code}]`;
  return message === "" ? head : `${head}: ${message}`;
}

/** The errors that led to an error, nearest first. */
function causesOf({ cause, errors = [] }: EventError): readonly EventError[] {
  return cause === undefined ? errors : [cause, ...errors];
}

/**
 * The causes of an error, each on one line, nearest first, with the causes of each after it.
 *
 * @example
 * const why = (error: EventError) => [error.message, ...causeLines(error)].join(" <- ");
 * const observer: Observer = (event) => {
 *   if (event.type === "job-failed" && event.error) console.error(why(event.error));
 * };
 */
export function causeLines(error: EventError): readonly string[] {
  return causesOf(error).flatMap((cause) => [errorLine(cause), ...causeLines(cause)]);
}

/** How much of a text fits into a sentence. */
const longestInSentence = 500;

/** An error and its causes as part of a sentence, without a full stop. */
export function errorPhrase(error: EventError): string {
  const causes = causeLines(error);
  const text = causes.length === 0 ? errorLine(error) : `${errorLine(error)} (cause: ${causes.join("; ")})`;
  const cut = text.length <= longestInSentence ? text : `${text.slice(0, longestInSentence).toWellFormed()}…`;
  return cut.replace(/\.$/, "");
}

/**
 * An error with its frames and causes, in lines for people.
 *
 * @example
 * const observer: Observer = (event) => {
 *   if (event.type === "job-failed" && event.error) process.stderr.write(`${errorText(event.error)}\n`);
 * };
 */
export function errorText(error: EventError): string {
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+(?:at|\.\.\.) /.test(line));
  const causes = causesOf(error).map((cause) => indent(`Cause: ${errorText(cause)}`));
  return [errorLine(error), ...frames, ...causes].join("\n");
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}
