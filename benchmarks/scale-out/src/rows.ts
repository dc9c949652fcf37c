import type { Mode } from "@chainwright/bench-peers";
import { chainwrightRows } from "./chainwright-rows.ts";
import type { NotifyName } from "./notify.ts";
import { peerRows } from "./peer-rows.ts";
import type { Row } from "./row.ts";

interface Selection {
  readonly modes: readonly Mode[];
  readonly notify: readonly NotifyName[];
  readonly only: readonly string[];
}

/** Rows that cannot be measured, and why. */
export const leftOut: readonly (Pick<Row, "name" | "mode"> & { readonly reason: string })[] = [
  { name: "graphile-worker", mode: "atomic", reason: "it ends a job in a transaction that handlers cannot join" },
  { name: "bullmq", mode: "atomic", reason: "its jobs are in Redis, and the writes of handlers are elsewhere" },
];

export function rowsFor({ modes, notify, only }: Selection): readonly Row[] {
  return [...chainwrightRows, ...peerRows].filter(
    (row) =>
      modes.includes(row.mode) &&
      (row.notify === undefined || notify.includes(row.notify)) &&
      (only.length === 0 || only.some((part) => row.name.includes(part))),
  );
}
