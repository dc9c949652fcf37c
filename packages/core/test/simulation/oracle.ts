import type { ChainRecord, JobRecord } from "../../src/model/record.ts";
import type { StateAdapter } from "../../src/ports/state.ts";
import type { Ledger } from "./workload.ts";
import type { Plan } from "./handlers.ts";

const everything = {
  after: undefined,
  limit: 100_000,
  order: "ascending",
  typeNames: undefined,
  ids: undefined,
  createdFrom: undefined,
  createdUntil: undefined,
  errorText: undefined,
} as const;

/** What is wrong in a store that has come to rest; empty: nothing. */
export async function findViolations(store: StateAdapter, ledger: Ledger): Promise<readonly string[]> {
  const chains = await store.listChains({ ...everything, statuses: undefined }, {});
  const jobs = await store.listJobs(
    { ...everything, statuses: undefined, chainId: undefined, blockedBy: undefined },
    {},
  );
  const byId = new Map(chains.map((chain) => [chain.id, chain]));
  const waits = new Map(await Promise.all(jobs.map(async (job) => [job.id, await waitsForEnded(store, job)] as const)));
  return [
    ...[...ledger.acknowledged].filter((id) => !byId.has(id)).map((id) => `acknowledged start ${id} is missing`),
    ...[...ledger.rolledBack].filter((id) => byId.has(id)).map((id) => `rolled-back start ${id} is there`),
    ...jobs
      .filter((job) => isOpen(job) && waits.get(job.id) !== true)
      .map((job) => `job ${job.id} is still ${job.status} with nothing to wait for`),
    ...chains.flatMap((chain) => chainViolations(chain, jobs)),
    ...effectViolations(jobs),
    ...(await countViolations(store, jobs)),
  ];
}

function isOpen(job: JobRecord): boolean {
  return job.endedAt === undefined;
}

/** A job may rest as blocked for ever behind a chain that failed, was cancelled, or rests itself. */
async function waitsForEnded(store: StateAdapter, job: JobRecord): Promise<boolean> {
  if (job.status !== "blocked") return false;
  const blockers = await store.listBlockers({ jobId: job.id, afterPosition: undefined, limit: 1_000 }, {});
  return blockers.some(({ chain }) => chain.status !== "completed");
}

/** Exactly one job of an active chain is open, none of an ended one; an ended chain has one end. */
function chainViolations(chain: ChainRecord, jobs: readonly JobRecord[]): string[] {
  const own = jobs.filter((job) => job.chainId === chain.id);
  const open = own.filter(isOpen).length;
  const violations: string[] = [];
  if (open !== (chain.status === "active" ? 1 : 0))
    violations.push(`chain ${chain.id} is ${chain.status} with ${open} open jobs`);
  const ends = own.filter((job) => !isOpen(job) && job.nextJobId === undefined);
  if (chain.status !== "active" && ends.length !== 1) violations.push(`chain ${chain.id} has ${ends.length} ends`);
  const steps = own.map((job) => job.step).sort((a, b) => a - b);
  if (steps.some((step, index) => step !== index + 1))
    violations.push(`chain ${chain.id} has the steps ${steps.join(", ")}`);
  return violations;
}

/** A step completed by its handler's transaction has its effect once, of the attempt that completed; no other step has one. */
function effectViolations(jobs: readonly JobRecord[]): string[] {
  const effects = new Map<string, number[]>();
  for (const job of jobs) {
    if (job.typeName !== "effect") continue;
    const { jobId, attempt } = JSON.parse(job.input) as { readonly jobId: string; readonly attempt: number };
    effects.set(jobId, [...(effects.get(jobId) ?? []), attempt]);
  }
  const violations: string[] = [];
  for (const job of jobs) {
    const attempts = effects.get(job.id) ?? [];
    if (job.typeName !== "step") continue;
    const plan = JSON.parse(job.input) as Plan;
    const byHandler =
      job.status === "completed" && job.output !== JSON.stringify({ label: "from outside" }) && plan.mode !== "value";
    if (byHandler ? attempts.length !== 1 || attempts[0] !== job.attempt : attempts.length !== 0) {
      violations.push(
        `job ${job.id} (${plan.mode}, ${job.status}, attempt ${job.attempt}) has effects of the attempts [${attempts.join(", ")}]`,
      );
    }
  }
  return violations;
}

/** What the store keeps count of equals what is there. */
async function countViolations(store: StateAdapter, jobs: readonly JobRecord[]): Promise<string[]> {
  const expected = new Map<string, number>();
  for (const job of jobs) {
    const key = `${job.typeName} ${job.status}`;
    expected.set(key, (expected.get(key) ?? 0) + 1);
  }
  const counted = new Map(
    (await store.count({})).filter(({ count }) => count > 0).map((row) => [`${row.typeName} ${row.status}`, row.count]),
  );
  const keys = new Set([...expected.keys(), ...counted.keys()]);
  return [...keys]
    .filter((key) => expected.get(key) !== counted.get(key))
    .map((key) => `counted ${counted.get(key) ?? 0} ${key}, there are ${expected.get(key) ?? 0}`);
}
