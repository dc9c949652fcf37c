import {
  ownClaimName,
  splitClaimName,
  type CallOptions,
  type JobStart,
  type Refusal,
  type Reply,
  type StartCall,
  type StartReply,
  type StartedJob,
} from "chainwright/adapter";
import { dueOf, inPlace, refusalOf, resultOf, type ResultRow } from "../result-rows.ts";
import { flatten, noStarts, type FlatStarts } from "../flat-starts.ts";
import { chainStatusOf } from "../rows.ts";
import { call, type Store } from "../store.ts";
import { onlyPlainStart, startOne } from "./start-one.ts";

/** Begins chains. Each call in the batch is all or nothing by itself. */
export async function start<Tx>(
  store: Store<Tx>,
  calls: readonly StartCall[],
  options: CallOptions<Tx>,
): Promise<readonly Reply<readonly StartReply[]>[]> {
  const only = onlyPlainStart(calls, options);
  const startedAt = only && (await startOne(store, only, options.now));
  if (startedAt !== undefined) return allBegun(calls, startedAt);
  const flat = noStarts();
  for (const [index, { starts }] of calls.entries()) for (const each of starts) flatten(flat, each, index);
  if (flat.starts.length === 0) return calls.map(() => ({ ok: true, value: [] }));
  if (!flat.labelled && flat.blockers.length === 0) {
    const [row] = await call(store, { name: "start_plain_v1", parameters: [JSON.stringify(flat.starts)] }, options);
    const createdAt = row?.[0];
    // Null: an id is taken. start_v1 finds out which one, and refuses the call that has it.
    if (createdAt !== null) return allBegun(calls, Number(createdAt));
  }
  const parameters = [JSON.stringify(flat.starts), JSON.stringify(flat.blockers)];
  const rows = await call(store, { name: "start_v1", parameters }, options);
  return repliesOf(calls, flat, rows.map(resultOf));
}

function allBegun(calls: readonly StartCall[], createdAt: number): readonly Reply<readonly StartReply[]>[] {
  return calls.map(({ starts }) => ({ ok: true, value: starts.map((each) => plainChain(each, createdAt)) }));
}

function plainChain(given: JobStart, createdAt: number): StartReply {
  const { id, typeName, version = 1, input, schedule } = given;
  const ref = { jobId: id, chainId: id, typeName, claimName: ownClaimName(given) };
  const due = schedule === undefined ? createdAt : "at" in schedule ? schedule.at : createdAt + schedule.afterMs;
  const job: StartedJob =
    due > createdAt
      ? { ...ref, status: "scheduled", dueInMs: due - createdAt }
      : { ...ref, status: "ready", dueInMs: undefined };
  return { id, deduplicated: false, status: "active", input, version, createdAt, jobs: [job] };
}

function repliesOf(
  calls: readonly StartCall[],
  { starts }: FlatStarts,
  rows: readonly ResultRow[],
): readonly Reply<readonly StartReply[]>[] {
  const refusals = new Map<number | undefined, Refusal>();
  const byStart = new Map<number, ResultRow<"start">>();
  for (const row of rows) {
    if (row.kind === "refused") refusals.set(row.n, refusalOf(row));
    else if (row.kind === "start") byStart.set(row.n, row);
  }
  const chains = calls.map((): (StartReply | undefined)[] => []);
  let jobs: StartedJob[] = [];
  // A parent comes before the starts inside it. Their jobs belong to the reply for the start at the top.
  for (const { n, call: index, parent, input, type } of starts) {
    const row = byStart.get(n);
    if (parent === undefined) {
      jobs = [];
      chains[index]?.push(row && chainOf(row, { input, version: splitClaimName(type).version }, jobs));
    }
    if (row?.jobStatus !== undefined) jobs.push(jobOf(row, row.jobStatus, type));
  }
  return chains.map((own, index) => {
    const refusal = refusals.get(index);
    return refusal === undefined ? { ok: true, value: inPlace(own, own.length, "start") } : { ok: false, refusal };
  });
}

function jobOf({ chainId, typeName, dueInMs }: ResultRow<"start">, status: string, name: string): StartedJob {
  const claimName = name === typeName ? undefined : name;
  return { jobId: chainId, chainId, typeName, claimName, ...dueOf(status, dueInMs) };
}

function chainOf(
  row: ResultRow<"start">,
  given: { readonly input: string; readonly version: number },
  jobs: readonly StartedJob[],
): StartReply {
  const { chainId: id, createdAt, jobStatus, chainStatus } = row;
  if (jobStatus !== undefined) {
    const status = jobStatus === "failed" ? "failed" : "active";
    return { id, deduplicated: false, status, ...given, createdAt, jobs };
  }
  const status = chainStatusOf(chainStatus);
  return { id, deduplicated: true, status, input: row.input ?? "", version: row.version ?? 1, createdAt, jobs };
}
