import type { Figure } from "@chainwright/bench-measuring";

export const storeNames = ["in process", "journal, full", "journal, 10 ms", "SQLite, full"] as const;
export type StoreName = (typeof storeNames)[number];

/** What a process measures. */
export type Order = { readonly smoke: boolean; readonly folder: string; readonly run: number } & (
  | {
      readonly what: "starts";
      readonly store: StoreName | "append loop";
      readonly callers: number;
      readonly syncMs: number;
    }
  | { readonly what: "value"; readonly store: StoreName }
  | { readonly what: "fill" | "open" | "snapshot" | "syncs" }
);

/** A figure by its name. */
export interface Reading {
  readonly name: string;
  readonly run: number;
  readonly figure?: Figure | undefined;
  readonly values?: Readonly<Record<string, number>> | undefined;
}

/** The name of the starts of a store. */
export function nameOfStarts(store: StoreName | "append loop", callers: number, syncMs: number): string {
  const slow = syncMs === 0 ? "" : `, sync + ${syncMs} ms`;
  return `starts, ${store}, ${callers} ${callers === 1 ? "caller" : "callers"}${slow}`;
}
