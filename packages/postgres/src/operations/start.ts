import {
  ownClaimName,
  splitClaimName,
  type CallOptions,
  type JobStart,
  type Refusal,
  type ReplacedInput,
  type SignalReply,
  type Reply,
  type StartCall,
  type StartReply,
  type StartedJob,
} from "chainwright/adapter";
import { namesSuffix } from "../claim-names.ts";
import { dueOf, inPlace, refusalOf, resultOf, startedJobOf, type ResultRow } from "../result-rows.ts";
import { flatten, noStarts, type FlatStarts } from "../flat-starts.ts";
import { chainStatusOf } from "../rows.ts";
import { call, callAll, type FunctionCall, type Store } from "../store.ts";
import { signalRepliesOf } from "./signal.ts";
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
  if (flat.waiting) return startWaiting(store, calls, flat, options);
  if (flat.starts.length === 0) return calls.map(() => ({ ok: true, value: [] }));
  if (!flat.labelled && flat.blockers.length === 0) {
    const name = flat.limited ? "start_limited_named_v1" : `start_plain${namesSuffix(flat.named)}_v1`;
    const [row] = await call(store, { name, parameters: [JSON.stringify(flat.starts)] }, options);
    const createdAt = row?.[0];
    // Null: an id is taken. start_v1 finds out which one, and refuses the call that has it.
    if (createdAt !== null) return allBegun(calls, Number(createdAt));
  }
  const parameters = [JSON.stringify(flat.starts), JSON.stringify(flat.blockers)];
  const rows = await callAll(store, [{ name: "start_v1", parameters }, ...followersCall(flat)], options);
  return repliesOf(calls, flat, rows.map(resultOf));
}

/** A chain that fails as it begins may start the one that follows it. */
function followersCall({ starts }: FlatStarts): readonly FunctionCall[] {
  const chains = starts.flatMap(({ n, id, ends, blocked }) =>
    ends?.stopped !== undefined && blocked === true ? { n, id } : [],
  );
  return chains.length === 0 ? [] : [{ name: "followers_of_v1", parameters: [JSON.stringify(chains)] }];
}

/** Begins chains whose jobs wait for signals, or that get some. */
async function startWaiting<Tx>(
  store: Store<Tx>,
  calls: readonly StartCall[],
  flat: FlatStarts,
  options: CallOptions<Tx>,
): Promise<readonly Reply<readonly StartReply[]>[]> {
  const { starts, blockers, signals } = flat;
  const parameters = [
    JSON.stringify(starts),
    JSON.stringify(blockers),
    signals.length === 0 ? null : JSON.stringify(signals),
  ];
  const rows = await callAll(store, [{ name: "start_waiting_v1", parameters }, ...followersCall(flat)], options);
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
  { starts, signals }: FlatStarts,
  rows: readonly ResultRow[],
): readonly Reply<readonly StartReply[]>[] {
  const refusals = new Map<number | undefined, Refusal>();
  for (const row of rows) if (row.kind === "refused") refusals.set(row.n, refusalOf(row));
  const signalled = signals.length === 0 ? undefined : signalledOf(signals, rows);
  return chainsOf(calls, starts, rows, signalled).map((own, index) => {
    const refusal = refusals.get(index);
    return refusal === undefined ? { ok: true, value: inPlace(own, own.length, "start") } : { ok: false, refusal };
  });
}

type Signalled = ReadonlyMap<number, readonly SignalReply[]>;

/** The results of signals, by the numbers of their starts. */
function signalledOf(signals: FlatStarts["signals"], rows: readonly ResultRow[]): Signalled {
  const byStart = new Map<number, SignalReply[]>();
  const replies = signalRepliesOf(rows);
  for (const { n, start: to } of signals) {
    const reply = replies[n];
    if (reply === undefined) continue;
    const own = byStart.get(to) ?? [];
    own.push(reply);
    byStart.set(to, own);
  }
  return byStart;
}

/** The chains of each call, from the rows of their starts. Undefined: a start has no row. */
export function chainsOf(
  calls: readonly unknown[],
  starts: FlatStarts["starts"],
  rows: readonly ResultRow[],
  signalled?: Signalled,
): readonly (readonly (StartReply | undefined)[])[] {
  const byStart = new Map<number, ResultRow<"start">>();
  for (const row of rows) if (row.kind === "start") byStart.set(row.n, row);
  const chains = calls.map((): (StartReply | undefined)[] => []);
  let jobs: StartedJob[] = [];
  // A parent comes before the starts inside it. Their jobs belong to the reply for the start at the top.
  for (const { n, call: index, parent, input, type } of starts) {
    const row = byStart.get(n);
    if (parent === undefined) {
      jobs = [];
      const chain = row && chainOf(row, { input, version: splitClaimName(type).version, type }, jobs);
      const own = signalled?.get(n);
      chains[index]?.push(chain === undefined || own === undefined ? chain : { ...chain, signalled: own });
    }
    if (row?.jobStatus !== undefined) jobs.push(jobOf(row, row.jobStatus, type));
    if (row?.jobStatus === "failed") jobs.push(...followUpsOf(rows, n));
  }
  return chains;
}

function followUpsOf(rows: readonly ResultRow[], of: number): readonly StartedJob[] {
  return rows.flatMap((row) => (row.kind === "unblocked" && row.n === of ? startedJobOf(row) : []));
}

function jobOf({ chainId, typeName, dueInMs }: ResultRow<"start">, status: string, name: string): StartedJob {
  const claimName = name === typeName ? undefined : name;
  return { jobId: chainId, chainId, typeName, claimName, ...dueOf(status, dueInMs) };
}

interface Given {
  readonly input: string;
  readonly version: number;
  /** Its claim name. */
  readonly type: string;
}

function chainOf(row: ResultRow<"start">, { type, ...given }: Given, jobs: readonly StartedJob[]): StartReply {
  const { chainId: id, createdAt, jobStatus, chainStatus } = row;
  if (jobStatus !== undefined) {
    const status = jobStatus === "failed" ? "failed" : "active";
    return { id, deduplicated: false, status, ...given, createdAt, jobs };
  }
  const status = chainStatusOf(chainStatus);
  const input = row.input ?? "";
  const found: StartReply = { id, deduplicated: true, status, input, version: row.version ?? 1, createdAt, jobs };
  return row.announced === undefined ? found : { ...found, ...given, replaced: replacedOf(row, type) };
}

function replacedOf({ chainId, typeName, dueInMs = 0, announced }: ResultRow<"start">, name: string): ReplacedInput {
  const claimName = name === typeName ? undefined : name;
  const due = dueInMs > 0 ? dueInMs : undefined;
  return { jobId: chainId, chainId, typeName, claimName, dueInMs: due, isAnnounced: announced === 1 };
}
