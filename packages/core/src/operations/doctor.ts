import { checkDuration, checkInteger, checkKeys, checkText, invalid, isList, show } from "../checks/check-options.ts";
import { describeError } from "../checks/describe-error.ts";
import type { Engine } from "../engine/engine.ts";
import { retryConflicts } from "../timing/retry-conflicts.ts";
import type { DoctorCheck } from "../model/fault.ts";
import type { WorkerRecord } from "../model/record.ts";
import type { RepairOutcome, StoreFault } from "../ports/doctor.ts";
import type { DoctorFinding, DoctorOptions, DoctorReport } from "../types/doctor.ts";
import { manualOf, problemOf, repairOf } from "./fault-text.ts";

const allChecks: readonly DoctorCheck[] = ["jobs", "leases", "blockers", "keys", "counts", "schema"];
const doctorKeys = {
  repair: true,
  checks: true,
  limit: true,
  timeLimitMs: true,
  cursor: true,
} satisfies Record<keyof DoctorOptions, true>;
const mostFindings = 10_000;
/** How many rows one statement checks: some milliseconds of a database. */
const pageSize = 1_000;
/** Workers send a heartbeat every ten seconds: an older lease of a worker without a recent heartbeat is a fault. */
const heldBeforeMs = 60_000;

interface Place {
  readonly check: DoctorCheck;
  readonly after: string | undefined;
}

/** Finds faults in the store, page by page, and repairs them with `repair: true`. */
export async function doctor(engine: Engine, options: DoctorOptions = {}): Promise<DoctorReport> {
  const { repair, checks, limit, timeLimitMs, from } = checkOptions(options);
  const { clock, state, callOptions } = engine;
  const until = clock.now() + timeLimitMs;
  const findings: DoctorFinding[] = [];
  let uncounted = false;
  let place: Place | undefined = from;
  while (place !== undefined) {
    const timeMs = until - clock.now();
    if (findings.length >= limit || timeMs <= 0) break;
    const request = { ...place, limit: pageSize, heldBeforeMs, timeMs };
    const { faults, next, isCut } = await state.inspect(request, callOptions());
    findings.push(...(repair ? await repairFaults(engine, faults, timeMs) : faults.map(found)));
    uncounted ||= isCut;
    place = next === undefined ? firstOf(checks, place.check) : { ...place, after: next };
    // A store in this process must let other work run between two pages.
    await clock.yield();
  }
  if (findings.some(({ status }) => status === "repaired")) engine.hub.send([{ kind: "look" }]);
  return {
    findings,
    completed: place === undefined ? checks : checks.slice(0, checks.indexOf(place.check)),
    uncounted,
    advice: place === undefined ? adviceAbout(await state.listWorkers(callOptions())) : [],
    nextCursor: place === undefined ? undefined : JSON.stringify([place.check, place.after ?? null]),
  };
}

/** Outcomes of a worker share an exchange, so a worker with few slots shares little and costs a connection. */
const [manyWorkers, fewSlots] = [50, 5];

function adviceAbout(workers: readonly WorkerRecord[]): readonly string[] {
  const slots = workers.reduce((sum, { concurrency }) => sum + concurrency, 0);
  if (workers.length <= manyWorkers || slots >= fewSlots * workers.length) return [];
  return [
    `${workers.length} workers have ${slots} slots together. Fewer workers with more slots (concurrency) run more jobs with fewer connections.`,
  ];
}

/** The beginning of the next check. */
function firstOf(checks: readonly DoctorCheck[], after: DoctorCheck): Place | undefined {
  const check = checks[checks.indexOf(after) + 1];
  return check === undefined ? undefined : { check, after: undefined };
}

function found(fault: StoreFault): DoctorFinding {
  const repair = repairOf(fault);
  return repair === undefined
    ? finding(fault, "manual", manualOf(fault))
    : finding(fault, "repairable", `repair: true ${repair}.`);
}

/** Faults that were gone before their repair are not reported. */
async function repairFaults(engine: Engine, faults: readonly StoreFault[], timeMs: number): Promise<DoctorFinding[]> {
  const findings: DoctorFinding[] = [];
  const safe = faults.filter((fault) => repairOf(fault) !== undefined);
  const outcomes = new Map<StoreFault, RepairOutcome | Error>();
  const isTogether = safe[0]?.kind === "wrong-count";
  for (const batch of isTogether ? [safe] : safe.map((fault) => [fault])) {
    const replies = await repairBatch(engine, batch, timeMs);
    batch.forEach((fault, index) => outcomes.set(fault, replies[index] ?? "left"));
  }
  for (const fault of faults) {
    const outcome = outcomes.get(fault) ?? "left";
    if (outcome !== "gone") findings.push(repaired(fault, outcome));
  }
  return findings;
}

async function repairBatch(
  { state, clock, callOptions }: Engine,
  faults: readonly StoreFault[],
  timeMs: number,
): Promise<readonly (RepairOutcome | Error)[]> {
  const request = { faults, limit: pageSize, timeMs };
  try {
    return await retryConflicts(state, clock, () => state.repair(request, callOptions()));
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(describeError(error).message);
    return faults.map(() => failure);
  }
}

function repaired(fault: StoreFault, outcome: RepairOutcome | Error): DoctorFinding {
  const repair = repairOf(fault);
  if (outcome instanceof Error) return finding(fault, "failed", `the repair failed: ${outcome.message}`);
  if (outcome === "repaired" && repair !== undefined) return finding(fault, "repaired", `the repair ${repair}.`);
  if (outcome === "busy") return finding(fault, "busy", "running work has it locked; run doctor again.");
  return finding(fault, "manual", `${manualOf(fault)}.`);
}

function finding(fault: StoreFault, status: DoctorFinding["status"], remedy: string): DoctorFinding {
  const { kind, id, chainId, typeName } = fault;
  return { kind, id, chainId, typeName, problem: problemOf(fault), status, remedy };
}

function checkOptions(options: DoctorOptions) {
  checkKeys(options, doctorKeys, "doctor");
  const { repair = false, limit = 1_000, timeLimitMs = 60_000, cursor } = options;
  if (typeof repair !== "boolean") throw invalid(`repair must be true or false; got ${show(repair)}.`);
  const checks = checksOf(options.checks);
  const [first] = checks;
  if (first === undefined) throw invalid("checks must name at least one check; leave it out for all of them.");
  return {
    repair,
    checks,
    limit: checkInteger(limit, "limit", { min: 1, max: mostFindings }),
    timeLimitMs: checkDuration(timeLimitMs, "timeLimitMs", 1),
    from: cursor === undefined ? { check: first, after: undefined } : placeOf(cursor, checks),
  };
}

/** The checks to make, in their fixed order, without duplicates. */
function checksOf(checks: unknown = allChecks): readonly DoctorCheck[] {
  if (!isList(checks)) throw invalid(`checks must be an array of names; got ${show(checks)}.`);
  for (const check of checks) {
    if (!allChecks.some((known) => known === check))
      throw invalid(`checks must name ${allChecks.join(", ")}; got ${show(check)}.`);
  }
  return allChecks.filter((check) => checks.includes(check));
}

function placeOf(cursor: string, checks: readonly DoctorCheck[]): Place {
  const [name, after] = readCursor(checkText(cursor, "cursor", 100_000));
  const check = checks.find((each) => each === name);
  if (check === undefined || (after !== null && typeof after !== "string"))
    throw invalid("cursor must be the nextCursor of a report with the same checks.");
  return { check, after: after ?? undefined };
}

function readCursor(cursor: string): readonly unknown[] {
  try {
    const place: unknown = JSON.parse(cursor);
    return isList(place) ? place : [];
  } catch {
    return [];
  }
}
