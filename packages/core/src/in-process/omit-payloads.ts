import type { OmittedPayloads } from "../model/record.ts";
import type { PayloadQuery } from "../ports/query.ts";

interface Payloads {
  readonly input: string;
  readonly output: string | undefined;
  readonly omitted?: OmittedPayloads | undefined;
}

/**
 * For state adapters that read rows whole: leaves out the payloads that a list does not ask for.
 *
 * @example
 * const listed = (rows: readonly JobRecord[], query: PayloadQuery) => rows.map((row) => omitPayloads(row, query));
 */
export function omitPayloads<Row extends Payloads>(row: Row, { mostPayloadBytes }: PayloadQuery): Row {
  if (mostPayloadBytes === undefined) return row;
  const input = bytesBeyond(row.input, mostPayloadBytes);
  const output = row.output === undefined ? undefined : bytesBeyond(row.output, mostPayloadBytes);
  if (input === undefined && output === undefined) return row;
  return {
    ...row,
    input: input === undefined ? row.input : "",
    output: output === undefined ? row.output : "",
    omitted: { input, output },
  };
}

/** The size of a text in UTF-8, if it is larger than this. */
function bytesBeyond(text: string, most: number): number | undefined {
  // A unit of UTF-16 has at most three bytes.
  if (text.length * 3 <= most) return undefined;
  const bytes = new TextEncoder().encode(text).length;
  return bytes > most ? bytes : undefined;
}
