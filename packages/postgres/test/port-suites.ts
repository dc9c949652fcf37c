import { named, ofPlainJobs } from "@chainwright/backends/named-jobs";
import { shareOf, testCases } from "@chainwright/backends/vitest";
import { behaviourConformance, stateConformance } from "@chainwright/conformance";
import { afterAll, beforeAll } from "vitest";
import type { Client } from "./clients.ts";
import { createSchemas, type Schemas } from "./schemas.ts";

/** The cases that PGlite cannot run, and why. */
export const withoutRowLocks = { rowLocks: "PGlite has one connection" };

type Without = Partial<typeof withoutRowLocks>;

interface StatePortOptions {
  readonly without?: Without;
  /** Called with each new schema. */
  readonly prepare?: (schema: string) => Promise<unknown>;
  /** Which cases run if not all do, see `shareOf`. */
  readonly share?: number;
  /** The cases that do not run here. */
  readonly except?: readonly string[];
}

/** Registers the cases of the state port. The name is that of the schemas. */
export function testStatePort<Tx>(
  client: Client<Tx>,
  name: string,
  { without = {}, prepare, share, except = [] }: StatePortOptions = {},
): void {
  const { take, takeUnmigrated } = openSchemas(client, name, prepare);
  const cases = stateConformance({ createAdapter: take, createUnmigrated: takeUnmigrated, without });
  const isPresent = except.every((each) => cases.some((one) => one.name === each));
  if (!isPresent) throw new Error(`No such cases of the state port, among ${except.join(", ")}`);
  testCases(
    shareOf(
      cases.filter((each) => !except.includes(each.name)),
      share,
    ),
  );
}

/** The same with a version and a pool on every job. */
export function testStatePortWithNamedJobs<Tx>(client: Client<Tx>, name: string, without: Without = {}): void {
  const { take, takeUnmigrated } = openSchemas(client, name);
  const createAdapter = async () => named(await take());
  testCases(stateConformance({ createAdapter, createUnmigrated: takeUnmigrated, without }).filter(ofPlainJobs));
}

/** Registers the cases about clients and workers. The name is that of the schemas. */
export function testBehaviour<Tx>(client: Client<Tx>, name: string, without: Without = {}): void {
  const { take } = openSchemas(client, name);
  testCases(behaviourConformance({ createState: take, without }), { timeout: 60_000 });
}

function openSchemas<Tx>(
  client: Client<Tx>,
  name: string,
  prepare?: (schema: string) => Promise<unknown>,
): Schemas<Tx> {
  const schemas = createSchemas(client, name, prepare);
  // The first migration takes longer than a case may.
  beforeAll(async () => {
    const { adapter, close } = await schemas.take();
    await adapter.close();
    await close();
  }, 30_000);
  afterAll(async () => {
    await schemas.dropAll();
    await client.end();
  });
  return schemas;
}
