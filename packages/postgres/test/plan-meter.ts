import { Pool } from "pg";

interface PlanNode {
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Join Filter"?: number;
  readonly Plans?: readonly PlanNode[];
}

/** What a node of the plan of a statement has passed and removed at most. */
export interface PassedRows {
  readonly statement: string;
  readonly rows: number;
}

const settings = `load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_analyze = on;
  set auto_explain.log_timing = off; set auto_explain.log_nested_statements = on; set auto_explain.log_format = json;
  set client_min_messages = log`;

/**
 * Opens a pool on whose connections the server explains every statement, those inside functions too. The pages that a call reads do not show that
 * a plan compares each row of a batch with each other one; this does. Needs a superuser.
 */
export function openPlanMeter(url: string, max: number) {
  const done = new Map<string, PassedRows>();
  const pool = new Pool({ connectionString: url, max });
  pool.on("connect", (client) => {
    client.on("notice", ({ message }) => note(message, done));
    void client.query(settings);
  });
  return {
    pool,
    /** Those of all statements since the last call. */
    take: (): readonly PassedRows[] => {
      const taken = [...done.values()];
      done.clear();
      return taken;
    },
  };
}

function note(message: string | undefined, done: Map<string, PassedRows>): void {
  const at = message?.indexOf("plan:\n") ?? -1;
  if (message === undefined || at < 0) return;
  const explained = JSON.parse(message.slice(at + "plan:\n".length)) as { "Query Text": string; Plan: PlanNode };
  const statement = explained["Query Text"].replace(/\s+/g, " ").trim();
  done.set(statement, { statement, rows: Math.max(done.get(statement)?.rows ?? 0, rowsOf(explained.Plan)) });
}

function rowsOf(node: PlanNode): number {
  const removed = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Join Filter"] ?? 0);
  return Math.max((node["Actual Rows"] + removed) * node["Actual Loops"], ...(node.Plans ?? []).map(rowsOf));
}
