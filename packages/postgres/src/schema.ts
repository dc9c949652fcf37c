import { ChainwrightError } from "chainwright";

/** The schema in which everything is, in the forms that SQL text needs. */
export interface Schema {
  readonly name: string;
  /** Quoted, as an identifier. */
  readonly quoted: string;
  /** The sequence that gives jobs their positions, as a text literal. */
  readonly positions: string;
}

/** The most bytes of a name. Postgres cuts longer ones silently, so that two of them could become one. */
const longestName = 63;

export function schemaOf(name: string): Schema {
  const bytes = Buffer.byteLength(name, "utf8");
  if (name === "" || name.includes("\0") || !name.isWellFormed() || bytes > longestName) {
    throw new ChainwrightError(
      "invalid-input",
      `schema must be a name of 1 to ${longestName} bytes of UTF-8 without NUL; got ${JSON.stringify(name)} with ${bytes}`,
      { details: { schema: name } },
    );
  }
  const quoted = `"${name.replaceAll('"', '""')}"`;
  return { name, quoted, positions: literal(`${quoted}.position`) };
}

/** A text as an SQL literal, safe with any value of `standard_conforming_strings`. */
export function literal(text: string): string {
  return `E'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}
