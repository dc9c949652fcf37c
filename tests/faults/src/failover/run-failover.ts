import { failoverKinds, runFailoverRound } from "./failover-round.ts";
import type { RoundReport } from "./failover-round.ts";
import { runQuorumRound } from "./quorum-round.ts";

export interface FailoverOptions {
  readonly rounds: number;
  /** How long the quorum is lost in the last round. */
  readonly quorumGoneMs: number;
  readonly log: (line: string) => void;
}

const columns = [
  "round",
  "acknowledged",
  "of these lost",
  "written, not acknowledged",
  "of these not reported",
  "applied twice",
  "torn apart",
  "left open",
  "lost to promoted",
  "promoted to first acknowledged",
  "longest wait for a claim, before",
  "after",
];

/** Runs rounds of each kind in turn, then one in which the quorum is lost; resolves to whether no rule was broken. */
export async function runFailover({ rounds, quorumGoneMs, log }: FailoverOptions): Promise<boolean> {
  log(`| ${columns.join(" | ")} |`);
  log(`| --- |${" --: |".repeat(columns.length - 1)}`);
  const violated: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const kind = failoverKinds[round % failoverKinds.length] ?? failoverKinds[0];
    if (kind === undefined) break;
    const report = await runFailoverRound(kind);
    log(rowOf(report));
    violated.push(...violations(report).map((what) => `${kind.name}: ${what}`));
  }
  if (quorumGoneMs > 0) {
    const { cancelled, falselyAcknowledged, ...report } = await runQuorumRound(quorumGoneMs);
    const { acknowledged, lost, unacknowledged, untold, twice, halves, open } = report;
    log(
      `quorum gone for ${quorumGoneMs} ms: ${cancelled} waiting commits cancelled, ${falselyAcknowledged} falsely acknowledged; ` +
        `${acknowledged} acknowledged, ${lost} lost, ${unacknowledged} written and not acknowledged, ${untold} not reported, ` +
        `${twice} twice, ${halves} torn apart, ${open} left open`,
    );
    const wrong = Object.entries({ falselyAcknowledged, lost, untold, twice, halves, open });
    violated.push(...wrong.filter(([, count]) => count > 0).map(([what, count]) => `quorum gone: ${what} ${count}`));
    if (cancelled === 0) violated.push("quorum gone: no commit waited");
  }
  for (const each of violated) log(`  VIOLATED: ${each}`);
  log(violated.length === 0 ? "  withstood" : "  NOT withstood");
  return violated.length === 0;
}

/**
 * If claims skip many rows, a job with a slow transaction is found by the next claim from the beginning. That claim comes after
 * twenty times the duration of a claim: half a second on an idle machine, more on a busy one. If a claim's start were kept after
 * a failover, it would be half a minute.
 */
const mostHiddenMs = 5_000;

function violations({ kind, lost, untold, twice, halves, open, hiddenAfterMs }: RoundReport): readonly string[] {
  // What a standby had not received is lost without synchronous replication; then chains and rows are lost together.
  const counts = { ...(kind.mode === "synchronous" && { lost }), untold, twice, halves, open };
  return [
    ...Object.entries(counts).flatMap(([what, count]) => (count > 0 ? [`${what} ${count}`] : [])),
    ...(hiddenAfterMs > mostHiddenMs ? [`a job was hidden for ${Math.round(hiddenAfterMs)} ms`] : []),
  ];
}

function rowOf({ kind, ...report }: RoundReport): string {
  const { acknowledged, lost, unacknowledged, untold, twice, halves, open } = report;
  const { promotedAfterMs, firstAcknowledgedAfterMs, hiddenBeforeMs, hiddenAfterMs } = report;
  const times = [promotedAfterMs, firstAcknowledgedAfterMs, hiddenBeforeMs, hiddenAfterMs];
  const cells = [acknowledged, lost, unacknowledged, untold, twice, halves, open];
  return `| ${kind.name}, ${kind.mode} | ${cells.join(" | ")} | ${times.map((ms) => `${Math.round(ms)} ms`).join(" | ")} |`;
}
