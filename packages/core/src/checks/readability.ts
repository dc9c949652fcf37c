import type { JobTypeRegistry } from "./job-type-registry.ts";
import { UnreadableInput, type StoredValue } from "./unreadable-input.ts";

/**
 * Why a stored text of some version cannot be read by a reader; undefined: it can. A handler that reads its own input needs more: there
 * the lifted input must also fit the schema of its type (`"handler"`). Rejects only with what is no fault of versions and schemas, such
 * as text that is not JSON.
 */
export async function whyUnreadable(
  types: JobTypeRegistry,
  stored: StoredValue,
  { text, by }: { readonly text: string; readonly by: "handler" | "reader" },
): Promise<UnreadableInput | undefined> {
  try {
    if (by === "reader" || stored.payload === "output") types.versions.read(stored, text);
    else await types.readInput(stored.typeName, text, stored.version);
    return undefined;
  } catch (error) {
    if (error instanceof UnreadableInput) return error;
    throw error;
  }
}
