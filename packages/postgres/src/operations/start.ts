import type { CallOptions, JobStart, Refusal, Reply, StartCall, StartReply, StartedJob } from "chainwright/adapter";
import { factOf, inPlace, refusalOf, startedJobOf } from "../result-rows.ts";
import type { Fact } from "../result-rows.ts";
import { flatten, noStarts, startParameters } from "../flat-starts.ts";
import type { FlatStarts } from "../flat-starts.ts";
import { chainStatusOf } from "../rows.ts";
import { call } from "../store.ts";
import type { Store } from "../store.ts";

/** Begins chains. Each call in the batch is all or nothing by itself. */
export async function start<Tx>(
  store: Store<Tx>,
  calls: readonly StartCall[],
  options: CallOptions<Tx>,
): Promise<readonly Reply<readonly StartReply[]>[]> {
  const flat = noStarts();
  for (const [index, { starts }] of calls.entries()) for (const each of starts) flatten(flat, each, index);
  if (flat.starts.length === 0) return calls.map(() => ({ ok: true, value: [] }));
  if (flat.keyless && flat.links.length === 0) {
    const [only] = flat.starts;
    const plain =
      only !== undefined && flat.starts.length === 1
        ? { name: "start_one_v1", parameters: startParameters(only) }
        : { name: "start_plain_v1", parameters: [JSON.stringify(flat.starts)] };
    const [row] = await call(store, plain, options);
    const createdAt = row?.[0];
    // Null: an id is taken; which one, and whose call that refuses, is for the other function.
    if (createdAt !== null) return allBegun(calls, Number(createdAt));
  }
  const parameters = [JSON.stringify(flat.starts), JSON.stringify(flat.links)];
  const rows = await call(store, { name: "start_v1", parameters }, options);
  return repliesOf(calls, flat, rows.map(factOf));
}

function allBegun(calls: readonly StartCall[], createdAt: number): readonly Reply<readonly StartReply[]>[] {
  return calls.map(({ starts }) => ({ ok: true, value: starts.map((each) => plainChain(each, createdAt)) }));
}

function plainChain({ id, typeName, input, schedule }: JobStart, createdAt: number): StartReply {
  const due = schedule === undefined ? createdAt : "at" in schedule ? schedule.at : createdAt + schedule.afterMs;
  const job: StartedJob =
    due > createdAt
      ? { jobId: id, chainId: id, typeName, status: "scheduled", dueInMs: due - createdAt }
      : { jobId: id, chainId: id, typeName, status: "ready", dueInMs: undefined };
  return { id, deduplicated: false, status: "active", input, createdAt, jobs: [job] };
}

function repliesOf(
  calls: readonly StartCall[],
  { starts }: FlatStarts,
  facts: readonly Fact[],
): readonly Reply<readonly StartReply[]>[] {
  const refusals = new Map<number, Refusal>();
  const byStart = new Map<number, Fact>();
  for (const fact of facts) {
    if (fact.kind === "refused") refusals.set(fact.n, refusalOf(fact));
    else byStart.set(fact.n, fact);
  }
  const chains = calls.map((): (StartReply | undefined)[] => []);
  let jobs: StartedJob[] = [];
  // Parents stand before the starts written inline in them: the jobs of those go to the chain at the top.
  for (const { n, call: index, parent, input } of starts) {
    const fact = byStart.get(n);
    if (parent === undefined) {
      jobs = [];
      chains[index]?.push(fact && chainOf(fact, input, jobs));
    }
    if (fact?.kind === "begun") jobs.push(startedJobOf(fact));
  }
  return chains.map((own, index) => {
    const refusal = refusals.get(index);
    return refusal === undefined ? { ok: true, value: inPlace(own, own.length, "start") } : { ok: false, refusal };
  });
}

function chainOf(fact: Fact, input: string, jobs: readonly StartedJob[]): StartReply {
  const id = fact.chainId;
  if (fact.kind === "begun") {
    const status = fact.status === "failed" ? "failed" : "active";
    return { id, deduplicated: false, status, input, createdAt: fact.at, jobs };
  }
  const status = chainStatusOf(fact.status);
  return { id, deduplicated: true, status, input: fact.body ?? "", createdAt: fact.at, jobs };
}
