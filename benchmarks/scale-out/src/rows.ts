import { allContenders, chainwrightOnPostgres, type Contender, type Mode } from "@chainwright/bench-peers";
import { notifyByName, notifyNames, type NotifyName } from "./notify.ts";

/** A queue with the settings of its workers. */
export interface Row {
  readonly name: string;
  readonly mode: Mode;
  /** Jobs at a time as the command line says, or the settings that the contender's documentation recommends for throughput. */
  readonly pace: "as asked" | "recommended";
  /** Undefined for other queues. */
  readonly notify: NotifyName | undefined;
  readonly contender: Contender;
}

interface Selection {
  readonly modes: readonly Mode[];
  readonly notify: readonly NotifyName[];
  readonly only: readonly string[];
}

const peers = new Set([
  "graphile-worker",
  "pg-boss",
  "pg-boss, a transaction for two jobs",
  "bullmq/redis, fsync always",
]);

const allRows: readonly Row[] = [
  ...notifyNames.flatMap((notify) => (["value", "atomic"] as const).map((mode) => chainwrightRow(mode, notify))),
  ...allContenders.filter(({ name }) => peers.has(name)).flatMap(peerRows),
];

/** Rows that cannot be measured, and why. */
export const leftOut: readonly (Pick<Row, "name" | "mode"> & { readonly reason: string })[] = [
  { name: "graphile-worker", mode: "atomic", reason: "it ends a job in a transaction that handlers cannot join" },
  { name: "bullmq", mode: "atomic", reason: "its jobs are in Redis, and the writes of handlers are elsewhere" },
];

export function rowsFor({ modes, notify, only }: Selection): readonly Row[] {
  return allRows.filter(
    (row) =>
      modes.includes(row.mode) &&
      (row.notify === undefined || notify.includes(row.notify)) &&
      (only.length === 0 || only.some((part) => row.name.includes(part))),
  );
}

export function rowNamed(name: string, mode: Mode): Row {
  const row = allRows.find((one) => one.name === name && one.mode === mode);
  if (row === undefined) throw new Error(`there is no row "${name}" in the ${mode} mode`);
  return row;
}

function chainwrightRow(mode: Mode, notify: NotifyName): Row {
  const name = `chainwright, notify ${notify}`;
  const contender = chainwrightOnPostgres({ name, mode, notify: notifyByName[notify] });
  return { name, mode, pace: "as asked", notify, contender };
}

/** As recommended for throughput is a row of its own; for transactions nothing else is recommended. */
function peerRows(contender: Contender): readonly Row[] {
  const { name, mode } = contender;
  const asked: Row = { name, mode, pace: "as asked", notify: undefined, contender };
  return mode === "atomic" ? [asked] : [asked, { ...asked, name: `${name}, recommended`, pace: "recommended" }];
}
