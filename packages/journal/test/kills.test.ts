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
  { timeout: 120_000 + kills * 3_000 },
  async (level, intervalMs) => {
    const folder = temporaryFolder();
    const report = await killJournal({ folder: join(folder, "jobs"), notes: join(folder, "notes"), intervalMs, kills });
    if (given !== undefined) process.stdout.write(`${level}: ${JSON.stringify(report)}\n`);
    expect(report).toMatchObject({ verdict: clean, damaged: [] });
    expect(report.starts).toBeGreaterThan(0);
  },
);

const chain: ThereChain = { id: "c", status: "completed", group: "g", of: 1 };
const job: ThereJob = { id: "j", status: "completed", attempt: 1 };
const started: Note = { kind: "started", group: "g", chains: ["c"] };
const ran: Note = { kind: "ran", chain: "c", job: "j", attempt: 1 };
const ended: Note = { kind: "ended", chain: "c" };
const deleting: Note = { kind: "deleting", chain: "c" };
const deleted: Note = { kind: "deleted", chain: "c" };

it.each<[string, readonly Note[], readonly ThereChain[], readonly ThereJob[], Partial<typeof clean>]>([
  ["nothing in a chain that ran", [started, ran, ended], [chain], [job], {}],
  ["nothing in a chain that was deleted", [started, ran, ended, deleting, deleted], [], [], {}],
  ["nothing in a deletion that never returned", [started, ran, ended, deleting], [], [], {}],
  ["a start that is lost", [started], [], [], { lostStarts: 1 }],
  ["an end that is lost", [started, ended], [{ ...chain, status: "active" }], [], { lostEnds: 1, notEnded: 1 }],
  ["a deletion that is lost", [started, deleting, deleted], [chain], [], { lostDeletions: 1 }],
  ["a half of a group that no one was told of", [], [{ ...chain, of: 2 }], [], { halfGroups: 1 }],
  ["two chains of one key", [started], [chain, { ...chain, id: "d" }], [], { doubledGroups: 1 }],
  ["an attempt that ran twice", [started, ran, ran], [chain], [job], { doubledAttempts: 1 }],
  ["an ended chain that ran again", [started, ended, ran], [chain], [job], { ranAfterEnd: 1 }],
  ["an attempt that was not counted", [started, ran], [chain], [{ ...job, attempt: 0 }], { uncounted: 1 }],
])("the judge of kills finds %s", (_, notes, chains, jobs, found) => {
  expect(judge(notes, chains, jobs)).toEqual({ ...clean, ...found });
});
