import { withFreshDatabase } from "@chainwright/backends/fresh-database";
import { outputOf } from "@chainwright/backends/program-output";
import { findBackend } from "@chainwright/backends/vitest";
import { expect, it } from "vitest";

const url = await findBackend("postgres");

it.skipIf(url === undefined).each(["drizzle", "kysely", "knex", "prisma"])(
  "%s writes orders and chains in one transaction, opened by the application or by the library",
  async (name) => {
    const program = new URL(`../src/${name}.ts`, import.meta.url);
    const output = await withFreshDatabase(url ?? "", (own) => outputOf(program, { env: { POSTGRES_URL: own } }));
    expect(output).toBe("[\n  { id: 'A-1', receipt: '4200 cents' },\n  { id: 'A-2', receipt: '900 cents' }\n]\n");
  },
  60_000,
);
