import type { StateAdapter } from "chainwright";
import type { ClaimedJob, JobStart, Outcome } from "chainwright/adapter";
import { claimOf, job, workerId } from "../jobs.ts";

/** Chains in every state that a call can find, and their jobs that the worker has claimed. */
export interface World {
  /** Its third step is running. `waiting` waits for it, `patient` waits for `waiting` and keeps waiting if that fails. */
  readonly moving: Running;
  readonly waiting: JobStart;
  readonly patient: JobStart;
  /** Has failed; `taken` has failed because of it. */
  readonly broken: JobStart;
  readonly taken: JobStart;
  /** Is running, and has a deduplication key. */
  readonly keyed: Running;
  /** Has completed, and has a key of scope `any`. A completed chain has waited for it. */
  readonly done: JobStart;
  readonly finished: JobStart;
  readonly scheduled: JobStart;
}

export interface Running {
  readonly id: string;
  readonly held: ClaimedJob;
}

export const keyOf = { keyed: "key of keyed", done: "key of done", broken: "key of broken" } as const;

export function dedup(key: string, scope: "active" | "any"): Partial<JobStart> {
  return { deduplication: { key, scope, windowMs: undefined } };
}

export function waitsFor(...chains: readonly { readonly id: string }[]): Partial<JobStart> {
  return { blockers: chains.map(({ id }) => ({ chainId: id, typeName: undefined })) };
}

export async function createWorld<Tx>(store: StateAdapter<Tx>): Promise<World> {
  const [first, keyed] = [job("first"), job("keyed", dedup(keyOf.keyed, "active"))];
  const [broken, done] = [job("broken", dedup(keyOf.broken, "active")), job("done", dedup(keyOf.done, "any"))];
  const [waiting, taken, finished] = [
    job("waiting", waitsFor(first)),
    job("taken", waitsFor(broken)),
    job("finished", waitsFor(done)),
  ];
  const patient = job("patient", { ...waitsFor(waiting), onBlockerFailure: "wait" });
  const scheduled = job("scheduled", { schedule: { afterMs: 600_000 } });
  const starts = [first, keyed, broken, done, waiting, taken, finished, patient, scheduled];
  await store.start([{ starts }], {});
  const step = (chainId: string, typeName: string) => ({ chainId, typeName });
  await store.settle(
    [
      { target: step(done.id, "done"), kind: "completed", output: "1" },
      { target: step(finished.id, "finished"), kind: "completed", output: "1" },
      { target: step(broken.id, "broken"), kind: "failed", errors: "[]" },
      { target: step(first.id, "first"), kind: "continued", next: job("second") },
      { target: step(first.id, "second"), kind: "continued", next: job("third") },
    ],
    {},
  );
  const { claimed } = await store.exchange({ outcomes: [], claim: claimOf(["third", "keyed"], 2) }, {});
  const running = (typeName: string): Running => {
    const held = claimed.find((each) => each.typeName === typeName);
    if (held === undefined) throw new Error(`${typeName} was not claimed`);
    return { id: held.chainId, held };
  };
  return {
    moving: running("third"),
    waiting,
    patient,
    broken,
    taken,
    keyed: running("keyed"),
    done,
    finished,
    scheduled,
  };
}

export function completes({ held }: Running): Outcome {
  return { target: fenceOf(held), kind: "completed", output: "true" };
}

export function fails({ held }: Running): Outcome {
  return { target: fenceOf(held), kind: "failed", errors: "[]" };
}

export function continues({ held }: Running, next: Partial<JobStart> = {}): Outcome {
  return { target: fenceOf(held), kind: "continued", next: job("next", next) };
}

export function fenceOf({ id, fence }: ClaimedJob) {
  return { jobId: id, workerId, fence };
}
