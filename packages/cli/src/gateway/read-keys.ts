import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { GatewayKey, GatewayScope, GatewayVerb } from "@chainwright/gateway";
import { parseJson } from "../parse-json.ts";
import { UsageError } from "../usage-error.ts";

export const verbs = ["start", "work", "read", "admin"] as const satisfies readonly GatewayVerb[];

/** Reads a file of keys: a JSON array of them, or one on each line, as `gateway key` prints them. */
export async function readKeys(file: string, folder: string): Promise<readonly GatewayKey[]> {
  const text = await textOf(resolve(folder, file));
  const values = text.trimStart().startsWith("[") ? parseJson(text, "--keys") : linesOf(text);
  if (!Array.isArray(values) || !values.every(isKey))
    throw new UsageError(
      `each key of ${file} must have a name, a hash and scopes, as \`chainwright gateway key\` prints it`,
    );
  if (values.length === 0)
    throw new UsageError(`${file} must have at least one key: \`chainwright gateway key NAME\` makes one`);
  return values;
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch {
    throw new UsageError(`the file ${file} cannot be read`);
  }
}

function linesOf(text: string): readonly unknown[] {
  const lines = text.split(/\r?\n/);
  return lines.flatMap((line, place) => (line.trim() === "" ? [] : [parseJson(line, `line ${place + 1} of the keys`)]));
}

function isKey(value: unknown): value is GatewayKey {
  if (typeof value !== "object" || value === null || !("name" in value) || !("hash" in value) || !("scopes" in value))
    return false;
  const { name, hash, scopes } = value;
  return (
    typeof name === "string" &&
    typeof hash === "string" &&
    /^[0-9a-f]{64}$/.test(hash) &&
    Array.isArray(scopes) &&
    scopes.every(isScope)
  );
}

function isScope(value: unknown): value is GatewayScope {
  if (typeof value !== "object" || value === null || !("types" in value) || !("verbs" in value)) return false;
  const { types, verbs: given } = value;
  return areTexts(types) && areTexts(given) && given.every((verb) => verbs.some((known) => known === verb));
}

function areTexts(values: unknown): values is readonly string[] {
  return Array.isArray(values) && values.every((value) => typeof value === "string");
}
