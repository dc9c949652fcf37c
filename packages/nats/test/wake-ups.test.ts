import { describeOn, findBackend, testCases } from "@chainwright/backends/vitest";
import { createInProcessStateAdapter } from "chainwright";
import { behaviourConformance } from "@chainwright/conformance";
import { openBackend } from "./backend.ts";

const url = await findBackend("nats");

/** The cases about clients and workers with and without wake-ups. */
const areas = /^(a wake-up|wake-ups that fail|looking): /;
const createState = async () => ({ adapter: createInProcessStateAdapter(), close: async () => {} });
const without = { userTable: "it has no tables", rowLocks: "it runs one transaction at a time" };

describeOn("wake-ups of clients and workers, on NATS", url, (server) => {
  const cases = behaviourConformance({ createState, createNotify: () => openBackend(server), without });
  testCases(cases.filter(({ name }) => areas.test(name)));
});
