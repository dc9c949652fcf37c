import type { Query } from "../store/open-store.ts";
import { yellow, type Finding } from "./finding.ts";
import { postgresChecks } from "./postgres-checks.ts";

/** Looks at the server. A look that fails, for example for want of rights, is a finding of its own. */
export async function diagnosePostgres(query: Query, schema: string): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const { name, sql, ofSchema, judge } of postgresChecks) {
    const begun = performance.now();
    try {
      const rows = await query(sql, ofSchema === true ? [schema] : []);
      found.push(...judge(rows, performance.now() - begun));
    } catch (error) {
      found.push(
        yellow(name, `this could not be checked: ${error instanceof Error ? error.message : String(error)}`, ""),
      );
    }
  }
  return found;
}
