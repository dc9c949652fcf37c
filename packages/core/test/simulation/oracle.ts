import type { ChainRecord, JobRecord } from "../../src/model/record.ts";
import type { StateAdapter } from "../../src/ports/state.ts";
import { allRows } from "./all-rows.ts";
import type { Fact } from "./facts.ts";
import type { StepInput } from "./handlers.ts";
import type { Ledger } from "./ledger.ts";
import type { World } from "./world.ts";

/** What a store that has come to rest holds, and all that has become true in it. */
interface Evidence {
  readonly store: StateAdapter;
  readonly chains: ReadonlyMap<string, ChainRecord>;
  readonly jobs: readonly JobRecord[];
  readonly facts: ReadonlyMap<Fact, number>;
  readonly ledger: Ledger;
}

/** What is wrong in a store that has come to rest; empty: nothing. */
export async function findViolations({ store, watch }: World, ledger: Ledger): Promise<readonly string[]> {
  const chains = await store.listChains({ ...allRows, statuses: undefined }, {});
  const jobs = await store.listJobs(allRows, {});
  const byId = new Map(chains.map((chain) => [chain.id, chain]));
  const evidence: Evidence = { store, chains: byId, jobs, facts: watch.facts, ledger };
  return [
    ...startViolations(evidence),
    ...(await restViolations(evidence)),
    ...chains.flatMap((chain) => chainViolations(chain, jobs)),
    ...endViolations(evidence),
    ...effectViolations(jobs),
    ...waitViolations(evidence),
    ...(await countViolations(store, jobs)),
    ...watch.eventViolations(),
    ...(watch.openTransactions > 0 ? [`${watch.openTransactions} transactions are left open`] : []),
  ];
}

/** Two live chains with one key: looked for whenever one may have come to life. */
export async function findRivals(store: StateAdapter): Promise<readonly string[]> {
  const chains = await store.listChains({ ...allRows, statuses: undefined }, {});
  const holders = new Map<string, string>();
  const violations: string[] = [];
  for (const { id, status, input } of chains) {
    const { key } = JSON.parse(input) as Partial<StepInput>;
    // One of scope "any" holds its key until it is deleted.
    if (key === undefined || (status !== "active" && !key.endsWith(" any"))) continue;
    const holder = holders.get(key);
    if (holder !== undefined) violations.push(`chains ${holder} and ${id} both have the key ${key}`);
    holders.set(key, id);
  }
  return violations;
}

function startViolations({ chains, facts, ledger }: Evidence): string[] {
  const isGone = (id: string): boolean => !chains.has(id) && !facts.has(`chain-deleted ${id}`);
  return [
    ...ledger.acknowledged.filter(isGone).map((id) => `acknowledged start ${id} is missing`),
    ...[...ledger.rolledBack].filter((id) => chains.has(id)).map((id) => `rolled-back start ${id} is there`),
  ];
}

/** Every open job has something to wait for. */
async function restViolations({ store, jobs }: Evidence): Promise<string[]> {
  const violations: string[] = [];
  for (const job of jobs) {
    if (isOpen(job) && !(await waitsForEnded(store, job)))
      violations.push(`job ${job.id} is still ${job.status} with nothing to wait for`);
  }
  return violations;
}

function isOpen(job: JobRecord): boolean {
  return job.endedAt === undefined;
}

/** A job may stay blocked forever behind a chain that failed, was cancelled, or is blocked forever itself. */
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

/** Only a retry undoes or changes an end: a chain starts once, completes once, and is broken once more often than it was repaired. */
function endViolations({ chains, facts, jobs }: Evidence): string[] {
  const times = (fact: Fact): number => facts.get(fact) ?? 0;
  const violations: string[] = [];
  const ids = new Set(
    [...facts.keys()].filter((fact) => fact.startsWith("chain-")).map((fact) => fact.split(" ")[1] ?? ""),
  );
  for (const id of ids) {
    const completed = times(`chain-completed ${id}`);
    const broken = times(`chain-failed ${id}`) + times(`chain-cancelled ${id}`) - times(`chain-retried ${id}`);
    const status = chains.get(id)?.status;
    if (times(`chain-started ${id}`) !== 1)
      violations.push(`chain ${id} started ${times(`chain-started ${id}`)} times`);
    if (completed + broken > 1 || broken < 0) violations.push(`chain ${id} ended ${completed + broken} times`);
    if (status === undefined) continue;
    if (completed !== (status === "completed" ? 1 : 0))
      violations.push(`chain ${id} is ${status}, completed ${completed} times`);
    const isBroken = status === "failed" || status === "cancelled";
    if (broken !== (isBroken ? 1 : 0)) violations.push(`chain ${id} is ${status}, was broken ${broken} times`);
  }
  for (const { id, status } of jobs) {
    const completed = times(`job-completed ${id}`) + times(`job-continued ${id}`);
    if (completed !== (status === "completed" ? 1 : 0))
      violations.push(`job ${id} is ${status}, completed ${completed} times`);
  }
  return violations;
}

/** A step completed by its handler's transaction has its effect once, of the attempt that completed; no other step has one. */
function effectViolations(jobs: readonly JobRecord[]): string[] {
  const effects = new Map<string, number[]>();
  const fromOutside = new Set<string>();
  for (const job of jobs) {
    if (job.typeName !== "effect") {
      if ((JSON.parse(job.input) as StepInput).fromOutside) fromOutside.add(job.id);
      continue;
    }
    const { jobId, attempt } = JSON.parse(job.input) as { readonly jobId: string; readonly attempt: number };
    effects.set(jobId, [...(effects.get(jobId) ?? []), attempt]);
  }
  const violations: string[] = [];
  for (const job of jobs) {
    const attempts = effects.get(job.id) ?? [];
    if (job.typeName === "effect") continue;
    const { mode } = JSON.parse(job.input) as StepInput;
    const byClient = job.output === JSON.stringify({ by: "client" }) || fromOutside.has(job.nextJobId ?? "");
    const hasEffect = job.status === "completed" && !byClient && mode !== "value";
    if (hasEffect ? attempts.length !== 1 || attempts[0] !== job.attempt : attempts.length !== 0) {
      violations.push(
        `job ${job.id} (${mode}, ${job.status}, attempt ${job.attempt}) has effects of the attempts [${attempts.join(", ")}]`,
      );
    }
  }
  return violations;
}

/** Every wait for a chain that has ended has ended too, with the result of the chain. */
function waitViolations({ chains, facts, ledger }: Evidence): string[] {
  return ledger.waits.flatMap(({ process, chainId, result }) => {
    if (process.life.isDead()) return [];
    const status = chains.get(chainId)?.status;
    if (result === undefined)
      return status === "active" ? [] : [`${process.name} still waits for ${chainId}, which is ${status ?? "gone"}`];
    const was = result === "completed" ? "chain-completed" : codeOf(result);
    if (was === "await-timeout") return [];
    // A chain that the second release has started.
    if (was === "input-unreadable" && process.spec.release === "first") return [];
    if (was === "chain-not-found")
      return status === undefined ? [] : [`the wait of ${process.name} for ${chainId} ended with chain-not-found`];
    return facts.has(`${String(was)} ${chainId}`)
      ? []
      : [`the wait of ${process.name} for ${chainId} ended with ${String(was)}, which never happened`];
  });
}

function codeOf(error: Error): unknown {
  return "code" in error ? error.code : undefined;
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
