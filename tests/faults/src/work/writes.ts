import type { Effect, FaultTx } from "../store/open-store.ts";
import type { Step } from "./job-types.ts";
import type { JobFacts, Surroundings } from "./surroundings.ts";

interface Scope {
  readonly tx: FaultTx;
}

/** The writes of a step, each with the facts of the job that they belong to. */
export function createWrites({ store, client }: Surroundings) {
  const write = (
    { id, chainId, attempt }: JobFacts,
    tx: FaultTx,
    rest: Omit<Effect, "jobId" | "chainId" | "attempt">,
  ) => store.record(tx, { jobId: id, chainId, attempt, ...rest });
  return {
    ended: (job: JobFacts, { tx }: Scope) => write(job, tx, { kind: "ended" }),
    /** What a long handler was told is on record, or what its `once` writes. */
    noted: (job: JobFacts, { tx }: Scope, noted: Pick<Effect, "kind" | "name" | "value">) => write(job, tx, noted),
    prepared: (job: JobFacts, { tx }: Scope) => write(job, tx, { kind: "prepared" }),
    /** In a transaction that may not commit, because its attempt is over. */
    late: (job: JobFacts, { tx }: Scope) => write(job, tx, { kind: "late" }),
    /** What a staged step writes, and whether its job was still open: no other process may have ended it. */
    staged: async (job: JobFacts, { tx }: Scope) => {
      await write(job, tx, { kind: (await store.isOpen(tx, job.id)) ? "prepared" : "unfenced" });
    },
    /** Ends the step and starts a chain, all in one transaction. */
    endedAndSpawned: async (job: JobFacts, { tx }: Scope, input: Step) => {
      const { id } = await client.startChain({ tx, typeName: "spawned", input });
      await write(job, tx, { kind: "ended", spawned: id });
    },
    /** Checks that all blockers with effects have written them. */
    joined: async (job: JobFacts & { blockers: readonly Blocker[] }, { tx }: Scope) => {
      const leaving = job.blockers.filter(({ typeName }) => typeName === "part").map(({ id }) => id);
      const found = leaving.length === 0 ? 0 : await store.endedAmong(tx, leaving);
      const complete = job.blockers.every(({ status, output }) => status === "completed" && output === 1);
      if (found !== leaving.length || !complete) await write(job, tx, { kind: "early" });
      await write(job, tx, { kind: "ended" });
    },
    keyClaimed: async (job: JobFacts, { tx }: Scope, key: string) => {
      if (!(await store.claimKey(tx, key))) await write(job, tx, { kind: "shared" });
      await write(job, tx, { kind: "ended" });
    },
    keyFreed: async (job: JobFacts, { tx }: Scope, key: string) => {
      await store.freeKey(tx, key);
      await write(job, tx, { kind: "ended" });
    },
  };
}

interface Blocker {
  readonly id: string;
  readonly typeName: string;
  readonly status: string;
  readonly output: unknown;
}
