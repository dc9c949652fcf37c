import type { SchemaState } from "../ports/migrate.ts";

/** A store in the process is as old as its code. */
export const onlySchema: SchemaState = { version: 1, newest: 1, compatibleFrom: 1, contractPending: false };
