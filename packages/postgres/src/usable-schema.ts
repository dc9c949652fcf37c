import { ChainwrightError } from "chainwright";
import { checkNotTooNew } from "chainwright/adapter";
import type { PostgresQuery, PostgresRow } from "./driver.ts";
import { migrations } from "./migrations.ts";
import type { Schema } from "./schema.ts";

type Send = (statement: PostgresQuery) => Promise<readonly PostgresRow[]>;

/**
 * Whether this package can use the schema, which an adapter finds out before its first call. Functions of the version before would accept
 * most calls, and would leave out what they do not know, such as the pool of a job.
 */
export interface UsableSchema {
  isKnown(): boolean;
  /** @throws `not-migrated`, `schema-too-new` */
  check(send: Send): Promise<void>;
  /** Called when a migration has ended. */
  migrated(): void;
}

export function createUsableSchema(schema: Schema): UsableSchema {
  const newest = migrations.length;
  let isUsable = false;
  return {
    isKnown: () => isUsable,
    async check(send) {
      // With a parameter: many first calls at once through PgBouncer, of which some had none, got no reply on postgres.js.
      const text = `select version, compatible_from from ${schema.quoted}.meta where only_row = $1::text::boolean`;
      const [row] = await send({ text, parameters: ["true"], prepare: true });
      const [version, compatibleFrom] = [Number(row?.[0] ?? 0), Number(row?.[1] ?? 1)];
      checkNotTooNew({ version, compatibleFrom }, newest, `schema ${schema.quoted}`);
      if (version < newest) throw behind(schema, version, newest);
      isUsable = true;
    },
    migrated: () => {
      isUsable = true;
    },
  };
}

function behind(schema: Schema, version: number, newest: number): ChainwrightError {
  return new ChainwrightError(
    "not-migrated",
    `schema ${schema.quoted} has version ${version}, and version ${newest} is needed: call \`await stateAdapter.migrate()\` first, with a role that may create tables`,
    { details: { version, newest } },
  );
}
