import type { ErasedDefinition } from "../../../src/worker/processor.ts";
import type { Life } from "../life.ts";
import type { SimulatedClient } from "../world.ts";
import { claimOf, count, nextSerial, notedOf, reportsOf, type NoteLedger, type SeenClaim } from "./note-ledger.ts";

/** What the input of an import says of it. */
export interface ImportInput {
  readonly parts: number;
  /** How many attempts throw. */
  readonly failures: number;
  readonly partMs: number;
  /** Whether it begins with the first part although it has a checkpoint. */
  readonly startsOver: boolean;
  /** Whether it calls a `once` that failed a second time in the same attempt. */
  readonly triesAgain: boolean;
  /** Whether it returns a result although it was told to end at a checkpoint. */
  readonly isStubborn: boolean;
}

interface Checkpoint {
  readonly part: number;
  readonly serial: number;
}

interface OnceScope {
  readonly tx?: unknown;
}

type Run = (scope: OnceScope) => Promise<unknown>;

interface ImportContext {
  readonly job: {
    readonly id: string;
    readonly attempt: number;
    readonly input: ImportInput;
    readonly checkpoint?: Checkpoint;
  };
  once(name: string, run: Run): Promise<unknown>;
  once(name: string, options: object, run: Run): Promise<unknown>;
  saveCheckpoint(value: Checkpoint): Promise<void>;
  progress(value: object): void;
  readonly log: { info(message: string): void };
}

/** Where handlers run, and who reads what they saw. */
export interface Bench {
  readonly life: Life;
  readonly client: SimulatedClient;
  readonly ledger: NoteLedger;
  readonly violations: string[];
}

interface Importing extends Bench {
  readonly context: ImportContext;
  readonly claim: SeenClaim;
}

const retry = { maxAttempts: 200, backoff: { initialMs: 100, maxMs: 1_000 } };

/** An import in parts: each is done once in a transaction, with a checkpoint behind it; and the job that each part starts. */
export function processorsOf(bench: Bench): Readonly<Record<string, ErasedDefinition>> {
  const run = async (context: object): Promise<unknown> => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of handlers are erased
    const typed = context as ImportContext;
    return await importParts({ ...bench, context: typed, claim: claimOf(bench.ledger, bench.life, typed.job) });
  };
  return { import: { handler: run, retry }, receipt: { handler: async () => null, retry } };
}

async function importParts(importing: Importing): Promise<unknown> {
  const { context, claim, violations, life } = importing;
  const { id, input, attempt, checkpoint } = context.job;
  if (show(checkpoint) !== claim.checkpoint) violations.push(`F3: an attempt at job ${id} saw ${show(checkpoint)}`);
  const { parts, failures, partMs, startsOver, isStubborn } = input;
  await remember(importing, "upload", "alone");
  for (let part = startsOver ? 0 : (checkpoint?.part ?? 0); part < parts; part += 1) {
    const both = [
      remember(importing, `part ${part}`, "in a transaction"),
      remember(importing, `mail ${part}`, "alone"),
    ];
    await Promise.all(both);
    await pause(life, partMs);
    report(importing, part);
    if (attempt <= failures && part >= parts / 2) throw new Error("planned");
    try {
      await save(importing, part + 1);
    } catch (error) {
      if (isStubborn) return { parts: "it was told to end" };
      throw error;
    }
  }
  return { parts };
}

/** Calls `once`, and again if it fails: the store may have noted what the first call has lost the reply of. */
async function remember(importing: Importing, name: string, how: How): Promise<void> {
  try {
    await rememberOnce(importing, name, how);
  } catch (error) {
    if (!importing.context.job.input.triesAgain || codeOf(error) === "attempt-ended") throw error;
    count(importing.ledger, "tried again");
    await rememberOnce(importing, name, how);
  }
}

type How = "alone" | "in a transaction";

/** One call of `once`, which must return what each other call of this name has returned. */
async function rememberOnce(
  { context, claim, client, life, ledger, violations }: Importing,
  name: string,
  how: How,
): Promise<void> {
  const { job, once } = context;
  const run: Run = async ({ tx }) => {
    if (claim.memos.has(name)) violations.push(`F1: job ${job.id} had ${name} when it was claimed, and ran it again`);
    count(ledger, "ran");
    if (tx !== undefined) await client.startChain({ tx, typeName: "receipt", input: { jobId: job.id, name } });
    await pause(life, Math.floor(life.random() * 100));
    if (life.random() < 0.05) throw new Error("planned");
    return nextSerial(ledger);
  };
  const value = show(await (how === "alone" ? once(name, run) : once(name, { tx: true }, run))) ?? "";
  const key = `${job.id} ${name}`;
  const before = ledger.kept.get(key) ?? value;
  if (value !== before) violations.push(`F1: once(${name}) of job ${job.id} returned ${before} and ${value}`);
  if (notedOf(ledger, job.id).memos.get(name) !== value)
    violations.push(`F1: once(${name}) of job ${job.id} returned ${value}, which is not on record`);
  if (claim.memos.has(name)) count(ledger, "remembered");
  ledger.kept.set(key, before);
}

async function save({ context, ledger, violations }: Importing, part: number): Promise<void> {
  const checkpoint = { part, serial: nextSerial(ledger) };
  const { id } = context.job;
  try {
    await context.saveCheckpoint(checkpoint);
  } catch (error) {
    if (error instanceof Error && codeOf(error.cause) === "worker-stopping") count(ledger, "ended at a checkpoint");
    throw error;
  }
  count(ledger, "saved");
  if (!notedOf(ledger, id).checkpoints.has(show(checkpoint) ?? ""))
    violations.push(`F3: the checkpoint ${show(checkpoint)} of job ${id} is saved and was never on record`);
}

function report({ context, claim, ledger }: Importing, part: number): void {
  const { job, progress, log } = context;
  const reports = reportsOf(ledger, job.id, claim.fence);
  const line = `line ${nextSerial(ledger)}`;
  const value = { part, serial: nextSerial(ledger) };
  progress(value);
  log.info(line);
  reports.lines.push(line);
  reports.progress = show(value);
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}

function pause(life: Life, ms: number): Promise<void> {
  return new Promise((resolve) => void life.clock.setTimer(resolve, ms));
}

function show(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
