import type { Tags } from "../model/tags.ts";
import { checkBytes, invalid, isList, show } from "./check-options.ts";
import { isPlain } from "./json.ts";

/**
 * The most tags of a chain, and the most bytes of a name and of a value. Each tag is an entry of an index, so they are few, and both
 * texts together fit into an entry of Postgres.
 */
const mostTags = 8;
const longest = { name: 100, value: 500 } as const;

/** Tags as a caller wrote them. Undefined: there are none. */
export function checkTags(tags: unknown): Tags | undefined {
  const entries = entriesOf(tags);
  if (entries.length > mostTags)
    throw invalid(`tags must have at most ${mostTags} entries; got ${entries.length}. Put the rest into the input.`);
  for (const [name, value] of entries) {
    checkBytes(name, "the name of a tag", longest.name);
    checkBytes(value, `tags[${JSON.stringify(name)}]`, longest.value);
  }
  return entries.length === 0 ? undefined : Object.fromEntries<string>(entries);
}

function entriesOf(tags: unknown): [string, string][] {
  if (typeof tags !== "object" || tags === null || !isPlain(tags))
    throw invalid(`tags must be an object of strings, such as { orderId: "42" }; got ${describe(tags)}.`);
  try {
    return Object.entries<string>({ ...tags });
  } catch (error) {
    throw invalid("tags must be an object of strings; reading its properties failed.", error);
  }
}

function describe(value: unknown): string {
  return isList(value) ? "an array" : show(value);
}
