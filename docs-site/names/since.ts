import { readFileSync } from "node:fs";

type Since = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/**
 * Since which version each name can be imported, by door. The test compares it with the sources: a name that is added belongs to the
 * next version, and one that is removed breaks the code of its users, so from 1.0 on it needs a new major version.
 */
export const since = JSON.parse(readFileSync(new URL("since.json", import.meta.url), "utf8")) as Since;
