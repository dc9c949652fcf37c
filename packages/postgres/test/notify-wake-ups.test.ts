import { describeOn, findBackend, testCases } from "@chainwright/backends/vitest";
import { createInProcessStateAdapter } from "chainwright";
import { behaviourConformance } from "@chainwright/conformance";
import { openBackend } from "./notify-backend.ts";
import { openPg, openPostgresJs } from "./notify-clients.ts";

const url = await findBackend("postgres");

/** The behaviour of clients and workers with wake-ups and without. */
const areas = /^(a wake-up|wake-ups that fail|looking): /;
const createState = async () => ({ adapter: createInProcessStateAdapter(), close: async () => {} });
const without = { userTable: "it has no tables", rowLocks: "it runs one transaction at a time" };

for (const [name, open] of [
  ["pg", openPg],
  ["postgres.js", openPostgresJs],
] as const) {
  describeOn(`wake-ups of clients and workers, on ${name}`, url, (server) => {
    const cases = behaviourConformance({ createState, createNotify: () => openBackend(open, server), without });
    testCases(cases.filter(({ name: rule }) => areas.test(rule)));
  });
}
