import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Call } from "./call.ts";
import { parseJson } from "./parse-json.ts";
import { UsageError } from "./usage-error.ts";

const mostCharacters = 64 * 1_048_576;

/** The text of an argument: itself, of the standard input for `-`, or of a file for `@FILE`. */
export async function readText({ surroundings }: Call, argument: string): Promise<string> {
  if (argument === "-") return await readAll(surroundings.read());
  if (!argument.startsWith("@")) return argument;
  const file = resolve(surroundings.folder, argument.slice(1));
  try {
    return await readFile(file, "utf8");
  } catch {
    throw new UsageError(`the file ${file} cannot be read`);
  }
}

async function readAll(pieces: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) {
    text += piece;
    if (text.length > mostCharacters) throw new UsageError("the standard input must have at most 64 MB");
  }
  return text;
}

/** A payload that an argument names. */
export async function readPayload(call: Call, argument: string): Promise<unknown> {
  return parseJson(await readText(call, argument), "the payload");
}
