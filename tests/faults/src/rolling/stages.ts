import { setTimeout as delay } from "node:timers/promises";
import type { Chance } from "../attack/random.ts";
import type { Crew, Job } from "./crew.ts";
import type { Span } from "./evidence.ts";
import type { Examiner } from "./examiner.ts";
import type { operatorOf } from "./operate.ts";
import type { ReleaseName } from "./release/place.ts";

/** A run of the test. */
export interface Roll {
  readonly crew: Crew;
  readonly examiner: Examiner;
  readonly operate: ReturnType<typeof operatorOf>;
  /** Chains to start, and processes to kill, before the roll is over. */
  readonly chains: number;
  readonly restarts: number;
  readonly chance: Chance;
  readonly log: (line: string) => void;
  /** Sentences about what was found on the way. */
  readonly broken: string[];
}

/** As many workers as a claim must not be slow beside. */
const manyWorkers = { workers: 25, slots: 2 };
const filledShare = 0.2;
/** How long a type is paused at least. */
const pauseMs = 1_500;
/** Jobs that only this release can read, when its workers are gone. */
const fewUnreadable = 10;
const patienceMs = 120_000;

/** The last release migrates and fills a store; then this release migrates it while workers and starters of the last one work. */
export async function migrateAtWork(roll: Roll): Promise<Span> {
  const { crew, examiner, operate, chains, log } = roll;
  await operate("last", "migrate");
  await examiner.prepare();
  await Promise.all([
    ...Array.from({ length: 4 }, () => crew.join("worker", "last", manyWorkers)),
    ...Array.from({ length: 2 }, () => crew.join("starter", "last")),
  ]);
  await until("chains of the last release", async () => (await chainsIn(examiner)) >= chains * filledShare);
  const { statements = 0, began, ended, refused } = await operate("this", "migrate");
  log(`migrated with ${statements} statements in ${ended - began} ms, after ${await chainsIn(examiner)} chains`);
  if (refused !== undefined) roll.broken.push(`the migration was refused: ${refused}`);
  if (statements === 0) roll.broken.push("the migration had nothing to do: the last release has this schema already");
  const again = await operate("last", "migrate");
  if (again.statements !== 0) roll.broken.push(`the last release cannot use the schema: ${JSON.stringify(again)}`);
  return { began, ended };
}

/**
 * Starts workers and starters of this release beside the others; then kills processes of both in turn and starts them again. Returns
 * when a type was paused.
 */
export async function rollOut({ crew, examiner, operate, chains, restarts, chance, log }: Roll): Promise<Span> {
  const pause = { began: 0, ended: 0 };
  await Promise.all([crew.join("worker", "this"), crew.join("worker", "this"), crew.join("starter", "this")]);
  await crew.stop([...crew.members("worker", "last").slice(2), ...crew.members("starter", "last").slice(1)]);
  for (let restart = 0; restart < restarts; restart += 1) {
    if (restart === Math.floor(restarts / 2)) pause.began = (await operate("this", "pause")).ended;
    const job: Job = restart % 3 === 2 ? "starter" : "worker";
    const release: ReleaseName = restart % 2 === 0 ? "last" : "this";
    const [victim] = crew.members(job, release).toSorted(() => chance.next() - 0.5);
    if (victim === undefined) throw new Error(`no ${job} of release ${release} is left to kill`);
    await crew.kill(victim);
    await delay(chance.between(0, 200));
    await crew.join(job, release);
    await delay(chance.between(100, 600));
    if (pause.began > 0 && pause.ended === 0 && Date.now() - pause.began > pauseMs) {
      pause.ended = (await operate("this", "resume")).began;
    }
  }
  if (pause.ended === 0) pause.ended = (await operate("this", "resume")).began;
  await until("chains of both releases", async () => (await chainsIn(examiner)) >= chains);
  log(`${restarts} processes killed and started again, after ${await chainsIn(examiner)} chains`);
  return pause;
}

/** Kills the workers of this release: those of the last one continue with what they can read. */
export async function rollBack({ crew, examiner, log, broken }: Roll): Promise<void> {
  await Promise.all(crew.members("worker", "this").map(crew.kill));
  // Its starter continues for a moment.
  await until(
    "jobs that the last release cannot read",
    async () => (await openIn(examiner)).others >= fewUnreadable,
    () => broken,
    20_000,
  );
  await crew.stop([...crew.members("starter", "this"), ...crew.members("starter", "last")]);
  await until(
    "the workers of the last release",
    async () => (await openIn(examiner)).readable === 0,
    () => broken,
  );
  log(`rolled back: the last release has left ${(await openIn(examiner)).others} jobs that it cannot read`);
}

/** Starts workers of this release again, and stops those of the last one. */
export async function workOff(roll: Roll): Promise<void> {
  const { crew, operate, examiner, broken } = roll;
  await checkContract(roll);
  await crew.join("worker", "this");
  await crew.stop(crew.members("worker", "last"));
  await until(
    "the last chain",
    async () => {
      const { readable, others } = await openIn(examiner);
      return readable + others === 0;
    },
    () => broken,
  );
  await crew.stop(crew.members("worker", "this"));
  const { refused } = await operate("this", "migrate");
  if (refused !== undefined) broken.push(`the migration was refused at the end: ${refused}`);
}

/** What workers of the last release report is what a contraction is refused for. */
async function checkContract({ operate, examiner, broken, log }: Roll): Promise<void> {
  const { contractPending, version = 0 } = await operate("this", "schema");
  const older = await examiner.rows<{ name: string }>(
    `select name from rolling_worker where schema_version < ${version} and name like 'last %'`,
  );
  if (older.length === 0) broken.push("no worker of the last release reports an older schema");
  const { refused } = await operate("this", "contract");
  const expected = contractPending === true ? "schema-in-use" : undefined;
  if (refused !== expected)
    broken.push(`contraction beside older workers must be refused with ${expected}; got ${refused}`);
  log(
    contractPending === true ? "contraction was refused beside older workers" : "this release has nothing to contract",
  );
}

async function chainsIn({ rows }: Examiner): Promise<number> {
  const [row] = await rows<{ count: number }>("select count(*) as count from rolling_job where step = 1");
  return Number(row?.count);
}

/** The open jobs, and of them those that the last release can read: their names have no version and no pool. */
async function openIn({ rows }: Examiner): Promise<{ readonly readable: number; readonly others: number }> {
  const open = await rows<{ name: string; count: number }>("select name, count from rolling_open");
  const count = (isReadable: boolean) =>
    open.reduce((sum, each) => sum + (!each.name.includes("\u0001") === isReadable ? each.count : 0), 0);
  return { readable: count(true), others: count(false) };
}

/** Waits until something holds. If it never does, that is an error, or a sentence in `broken`. */
async function until(
  what: string,
  holds: () => Promise<boolean>,
  broken: () => string[] | undefined = () => undefined,
  forMs = patienceMs,
): Promise<void> {
  const endsAt = Date.now() + forMs;
  while (!(await holds())) {
    if (Date.now() > endsAt) {
      const sentence = `${what}: not after ${forMs / 1_000} s`;
      const sentences = broken();
      if (sentences === undefined) throw new Error(sentence);
      sentences.push(sentence);
      return;
    }
    await delay(100);
  }
}
