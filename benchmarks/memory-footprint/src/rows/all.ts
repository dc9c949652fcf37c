import type { Row } from "../row.ts";
import { brokerRows } from "./brokers.ts";
import { dashboard } from "./dashboard.ts";
import { inProcess } from "./in-process.ts";
import { otel } from "./otel.ts";
import { postgresRows } from "./postgres.ts";
import { sqliteRows } from "./sqlite.ts";

/** A new adapter, observer or page is one more row. */
export const allRows: readonly Row[] = [inProcess, ...sqliteRows, ...postgresRows, ...brokerRows, otel, dashboard];
