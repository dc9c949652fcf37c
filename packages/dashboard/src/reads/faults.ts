import type { DoctorFinding } from "chainwright";
import type { Context } from "../context.ts";

/** What the doctor found. */
export interface FaultsResponse {
  readonly now: number;
  readonly findings: readonly DoctorFinding[];
  /** Whether there may be more than were looked for. */
  readonly isCut: boolean;
}

const quickChecks = ["jobs", "leases", "blockers", "keys", "schema"] as const;
const mostFindings = 100;
const timeLimitMs = 5_000;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The faults of a store. Nothing is repaired. */
export async function faults({ client, clock, redacts }: Context): Promise<FaultsResponse> {
  const report = await client.doctor({ checks: quickChecks, limit: mostFindings, timeLimitMs });
  return {
    now: clock.now(),
    findings: redacts ? report.findings.map(withoutKeys) : report.findings,
    isCut: report.nextCursor !== undefined,
  };
}

/** Keys of deduplication and of limits, and tags, are in the texts: an application that redacts may have to hide them. */
function withoutKeys(finding: DoctorFinding): DoctorFinding {
  const { id, kind, problem } = finding;
  if (uuid.test(id) || kind === "changed-function") return finding;
  return { ...finding, id: "[redacted]", problem: problem.replaceAll(id, "[redacted]") };
}
