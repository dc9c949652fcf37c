import type { Change } from "chainwright/change-log";

/** The changes of a record, whose checksum was right. */
export function toChanges(text: string): readonly Change[] {
  return JSON.parse(text) as readonly Change[];
}

/** The last record of a snapshot says how many rows there were before it. Undefined: it is another one. */
export function toEnd(text: string): number | undefined {
  return text.startsWith("{") ? (JSON.parse(text) as { readonly rows: number }).rows : undefined;
}

export function endText(rows: number): string {
  return JSON.stringify({ rows });
}
