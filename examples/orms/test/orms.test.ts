import { withFreshDatabase } from "@chainwright/backends/fresh-database";
import { outputOf } from "@chainwright/backends/program-output";
import { findBackend } from "@chainwright/backends/vitest";
import { expect, it } from "vitest";

const url = await findBackend("postgres");

const orders = "[\n  { id: 'A-1', receipt: '4200 cents' },\n  { id: 'A-2', receipt: '900 cents' }\n]\n";

it.skipIf(url === undefined).each(["drizzle", "kysely", "knex", "prisma"])(
  "%s writes orders and chains in one transaction, opened by the application or by the library",
  async (name) => {
    const program = new URL(`../src/${name}.ts`, import.meta.url);
    const output = await withFreshDatabase(url ?? "", (own) => outputOf(program, { env: { POSTGRES_URL: own } }));
    expect(output).toBe(orders);
  },
  60_000,
);

it.each(["drizzle-sqlite", "kysely-sqlite"])(
  "%s writes orders and chains in one transaction",
  async (name) => {
    const program = new URL(`../src/${name}.ts`, import.meta.url);
    expect(await outputOf(program, {})).toBe(orders);
  },
  60_000,
);
