import type { Row } from "../row.ts";
import { inProcess } from "./in-process.ts";
import { notifyRows } from "./notify.ts";
import { postgresRows } from "./postgres.ts";
import { sqliteRows } from "./sqlite.ts";

export const allRows: readonly Row[] = [inProcess, ...sqliteRows, ...postgresRows, ...notifyRows];
