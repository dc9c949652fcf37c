import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { verifyJournal } from "../../src/index.ts";
import { judge, type Verdict } from "./judge.ts";
import { readNotes } from "./notes.ts";
import { openWork, type KilledClient, type KilledFolder } from "./open.ts";

interface KillRun extends KilledFolder {
  readonly notes: string;
  readonly kills: number;
}

/** What was found. */
export interface KillReport {
  readonly verdict: Verdict;
  /** Folders that were refused after a kill, and what the doctor found in the end. */
  readonly damaged: readonly string[];
  /** In which part of its life the process was killed, and how often in a snapshot. */
  readonly killed: Readonly<Record<Phase, number>>;
  readonly inSnapshots: number;
  readonly starts: number;
  readonly ends: number;
  readonly runs: number;
  readonly laterAttempts: number;
}

type Phase = "opening" | "working" | "closing";

const program = fileURLToPath(new URL("killed-process.ts", import.meta.url));
const flags = ["--conditions=@chainwright/source", "--experimental-strip-types", "--no-warnings"];

/** Kills a process on a journal again and again, each time at another moment. Then lets the rest of the jobs end, and judges. */
export async function killJournal(run: KillRun): Promise<KillReport> {
  const killed = { opening: 0, working: 0, closing: 0 };
  const damaged: string[] = [];
  let inSnapshots = 0;
  const sum = () => killed.opening + killed.working + killed.closing;
  while (sum() < run.kills) {
    const phase = await runAndKill(run);
    if (phase === undefined) continue;
    killed[phase] += 1;
    // One that is killed before it has created its folder leaves none.
    if (!existsSync(join(run.folder, "CURRENT"))) continue;
    if (isInSnapshot(run.folder)) inSnapshots += 1;
    const { damage } = await verifyJournal(run);
    if (damage !== undefined) damaged.push(damage.message);
  }
  const there = await finish(run);
  const notes = readNotes(run.notes);
  const count = (kind: string) => notes.filter((note) => note.kind === kind).length;
  return {
    verdict: judge(notes, there.chains, there.jobs),
    damaged: [...damaged, ...there.findings],
    killed,
    inSnapshots,
    starts: count("started"),
    ends: count("ended"),
    runs: count("ran"),
    laterAttempts: notes.filter((note) => note.kind === "ran" && note.attempt > 1).length,
  };
}

/** The part of its life in which it was killed. Undefined: it ended before. */
async function runAndKill(orders: KillRun): Promise<Phase | undefined> {
  const child = spawn(process.execPath, [...flags, program, JSON.stringify(orders)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  await lines.next();
  const plan = Math.random();
  if (plan < 0.2) await delay(Math.random() * 60);
  else {
    await lines.next();
    await delay(5 + Math.random() * 600);
  }
  if (plan > 0.8) {
    child.stdin.end();
    await delay(Math.random() * 30);
  }
  child.kill("SIGKILL");
  const [code, signal] = (await closed) as [number | null, string | null];
  if (signal === "SIGKILL") return plan < 0.2 ? "opening" : plan > 0.8 ? "closing" : "working";
  if (code === 0) return undefined;
  throw new Error(`the process ended with ${String(code)}`);
}

/** Whether there is a snapshot that the folder does not begin with. */
function isInSnapshot(folder: string): boolean {
  const [body = ""] = readFileSync(join(folder, "CURRENT"), "utf8").split("\n");
  const { snapshot } = JSON.parse(body) as { readonly snapshot?: number };
  return readdirSync(folder).some((name) => name.startsWith("snap-") && name !== `snap-${String(snapshot)}`);
}

/** Lets all jobs end, and returns what is there. */
async function finish(run: KillRun) {
  const { client, worker, close } = await openWork(run, () => {});
  await worker.start();
  const ids = (await pages((cursor) => client.listChains({ status: "active", limit: 1_000, cursor }))).map(
    ({ id }) => id,
  );
  await Promise.all(ids.map((id) => client.awaitChain({ id })));
  const { findings } = await client.doctor();
  const there = await readAll(client);
  await close();
  return { ...there, findings: findings.map(({ kind, problem }) => `the doctor found ${kind}: ${problem}`) };
}

async function readAll(client: KilledClient) {
  const typeName = "member.begin";
  const chains = await pages((cursor) => client.listChains({ typeName, limit: 1_000, cursor }));
  const jobs = await pages((cursor) => client.listJobs({ limit: 1_000, cursor }));
  return {
    chains: chains.map(({ id, status, input: { group, of } }) => ({ id, status, group, of })),
    jobs: jobs.map(({ id, status, attempt }) => ({ id, status, attempt })),
  };
}

async function pages<Item>(
  read: (
    cursor: string | undefined,
  ) => Promise<{ readonly items: readonly Item[]; readonly nextCursor: string | undefined }>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return items;
}
