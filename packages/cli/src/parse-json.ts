import { UsageError } from "./usage-error.ts";

/** Reads the JSON of an argument. */
export function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new UsageError(`${where} must be JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
