import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "./backend.ts";
import { judge, type ThereChain, type ThereJob } from "./kills/judge.ts";
import { killJournal } from "./kills/kill-run.ts";
import type { Note } from "./kills/notes.ts";

/** More with CHAINWRIGHT_KILLS=200, which prints what was found. */
const given = process.env["CHAINWRIGHT_KILLS"];
const kills = Number(given ?? 6);

const clean = {
  lostStarts: 0,
  lostEnds: 0,
  lostDeletions: 0,
  halfGroups: 0,
  doubledGroups: 0,
  doubledAttempts: 0,
  ranAfterEnd: 0,
  uncounted: 0,
  notEnded: 0,
};

it.each([
  ["full", undefined],
  ["intervalMs: 20", 20],
])(
  "loses nothing that it has acknowledged and does nothing twice when its process is killed at any moment, with %s",
  { timeout: 120_000 + kills * 10_000 },
  async (level, intervalMs) => {
    const folder = temporaryFolder();
    const report = await killJournal({ folder: join(folder, "jobs"), notes: join(folder, "notes"), intervalMs, kills });
    if (given !== undefined) process.stdout.write(`${level}: ${JSON.stringify(report)}\n`);
    expect(report).toMatchObject({ verdict: clean, damaged: [] });
    expect(report.starts).toBeGreaterThan(0);
    // A few lives may be too short for a worker on a busy machine. Of many, that would prove nothing.
    expect(report.ends).toBeGreaterThanOrEqual(given === undefined ? 0 : 1);
  },
);

const chain: ThereChain = { id: "c", status: "completed", group: "g", of: 1 };
const job: ThereJob = { id: "j", status: "completed", attempt: 1 };
const started: Note = { kind: "started", group: "g", chains: ["c"] };
const ran: Note = { kind: "ran", chain: "c", job: "j", attempt: 1 };
const ended: Note = { kind: "ended", chain: "c" };
const deleting: Note = { kind: "deleting", chain: "c" };
const deleted: Note = { kind: "deleted", chain: "c" };

interface Seen {
  readonly notes: readonly Note[];
  readonly chains: readonly ThereChain[];
  readonly jobs?: readonly ThereJob[];
  readonly found?: Partial<typeof clean>;
}

const open = { ...chain, status: "active" };
const half = { ...chain, of: 2 };
it.each<[string, Seen]>([
  ["nothing in a chain that ran", { notes: [started, ran, ended], chains: [chain], jobs: [job] }],
  ["nothing in a chain that was deleted", { notes: [started, ran, ended, deleting, deleted], chains: [] }],
  ["nothing in a deletion that never returned", { notes: [started, ran, ended, deleting], chains: [] }],
  ["a start that is lost", { notes: [started], chains: [], found: { lostStarts: 1 } }],
  ["an end that is lost", { notes: [started, ended], chains: [open], found: { lostEnds: 1, notEnded: 1 } }],
  ["a deletion that is lost", { notes: [started, deleting, deleted], chains: [chain], found: { lostDeletions: 1 } }],
  ["a half of a group that no one was told of", { notes: [], chains: [half], found: { halfGroups: 1 } }],
  ["two chains of one key", { notes: [], chains: [chain, { ...chain, id: "d" }], found: { doubledGroups: 1 } }],
  ["an attempt that ran twice", { notes: [ran, ran], chains: [chain], found: { doubledAttempts: 1 } }],
  ["an ended chain that ran again", { notes: [ended, ran], chains: [chain], found: { ranAfterEnd: 1 } }],
  [
    "an attempt that was not counted",
    { notes: [ran], chains: [chain], jobs: [{ ...job, attempt: 0 }], found: { uncounted: 1 } },
  ],
])("the judge of kills finds %s", (_, { notes, chains, jobs = [], found }) => {
  expect(judge(notes, chains, jobs)).toEqual({ ...clean, ...found });
});
