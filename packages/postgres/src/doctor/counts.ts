import type { JobStatus } from "chainwright";
import type { InspectReply, RepairOutcome, StoreFault } from "chainwright/adapter";
import type { Connection } from "../connect.ts";

/** Rows that one statement counts: about 20 ms. */
const pageSize = 20_000;
/** How much longer the transaction may take than the count. */
const graceMs = 10_000;
const statuses: readonly JobStatus[] = ["completed", "failed", "cancelled"];

/**
 * Compares the counts of ended jobs with the jobs, which are counted page by page in one snapshot. It blocks no other call, but
 * Postgres can vacuum rows that are deleted meanwhile only after it.
 */
export async function compareCounts<Tx>(store: Connection<Tx>, timeMs: number): Promise<InspectReply> {
  const faults = await store.transactionWithin(timeMs + graceMs, async (tx) => {
    await send(store, tx, "set transaction isolation level repeatable read, read only");
    return differences(store, tx, Date.now() + timeMs);
  });
  return { faults: faults ?? [], next: undefined, isCut: faults === undefined };
}

/** Counts again and corrects the differences. The lock keeps two repairs from correcting the same difference twice. */
export async function correctCounts<Tx>(
  store: Connection<Tx>,
  faults: readonly StoreFault[],
  timeMs: number,
): Promise<readonly RepairOutcome[]> {
  const { quoted: s, positions } = store.schema;
  return store.transactionWithin(timeMs + graceMs, async (tx) => {
    await send(store, tx, "set transaction isolation level repeatable read");
    // The lock comes first, so that the snapshot has the corrections of an earlier repair.
    await send(store, tx, `lock table ${s}.tally in share update exclusive mode nowait`);
    const now = await differences(store, tx, Date.now() + timeMs);
    if (now === undefined) return faults.map(() => "left" as const);
    await send(store, tx, "select pg_current_xact_id()::text");
    const outcomes: RepairOutcome[] = [];
    for (const { typeName = "", id } of faults) {
      const difference = now.find((each) => each.typeName === typeName && each.id === id);
      if (difference !== undefined) {
        const parameters = [typeName, codeOf(id), String((difference.actual ?? 0) - (difference.counted ?? 0))];
        const text = `insert into ${s}.tally_change (n, type_name, status, count)
values (nextval(${positions}), $1::text, $2::text::smallint, $3::text::bigint)`;
        await store.run(tx, { text, parameters, prepare: false });
      }
      outcomes.push(difference === undefined ? "gone" : "repaired");
    }
    return outcomes;
  });
}

/** Undefined if there was not enough time. */
async function differences<Tx>(store: Connection<Tx>, tx: Tx, until: number): Promise<StoreFault[] | undefined> {
  const actual = await countJobs(store, tx, until);
  if (actual === undefined) return undefined;
  const text = `select t.type_name, t.status, t.count::text from ${store.schema.quoted}.tallied_v1() t`;
  const rows = await store.run(tx, { text, parameters: [], prepare: false });
  const counted = new Map(rows.map(([type, status, count]) => [cellOf(type, status), Number(count)]));
  return [...new Set([...counted.keys(), ...actual.keys()])]
    .map((cell) => faultOf(cell, counted.get(cell) ?? 0, actual.get(cell) ?? 0))
    .filter((fault) => fault.counted !== fault.actual);
}

async function countJobs<Tx>(
  store: Connection<Tx>,
  tx: Tx,
  until: number,
): Promise<ReadonlyMap<string, number> | undefined> {
  const text = `with page as materialized (
  select j.id, j.type_name, j.status from ${store.schema.quoted}.job j
  where $1::text is null or j.id > $1::text::uuid order by j.id limit ${pageSize})
select p.type_name, p.status, count(*)::text as jobs,
  (select l.id::text from page l order by l.id desc limit 1) as last_id, (select count(*) from page)::text as page_jobs
from page p group by p.type_name, p.status`;
  const counts = new Map<string, number>();
  let after: string | null = null;
  for (;;) {
    const parameters: (string | null)[] = [after];
    const rows = await store.run(tx, { text, parameters, prepare: false });
    for (const [type, status, count] of rows) {
      const cell = cellOf(type, status);
      if (Number(status) > 0) counts.set(cell, (counts.get(cell) ?? 0) + Number(count));
    }
    const [first] = rows;
    if (first === undefined || Number(first[4]) < pageSize) return counts;
    after = String(first[3]);
    if (Date.now() > until) return undefined;
  }
}

/** The status comes first, because a type's name may contain any character. */
function cellOf(typeName: unknown, status: unknown): string {
  return `${String(status)} ${String(typeName)}`;
}

function faultOf(cell: string, counted: number, actual: number): StoreFault & Record<"counted" | "actual", number> {
  return {
    kind: "wrong-count",
    id: statuses[Number(cell[0]) - 1] ?? "completed",
    typeName: cell.slice(2),
    counted,
    actual,
  };
}

function codeOf(status: string): string {
  return String(statuses.findIndex((each) => each === status) + 1);
}

async function send<Tx>(store: Connection<Tx>, tx: Tx, text: string): Promise<void> {
  await store.run(tx, { text, parameters: [], prepare: false });
}
