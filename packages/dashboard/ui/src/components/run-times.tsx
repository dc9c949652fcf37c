import type { TypeOverview } from "../../../src/protocol.ts";
import { formatDuration } from "../format/duration.ts";

const shownTypes = 6;

/** How long jobs run, by type: the longest first, all on one scale. */
export function RunTimes({ types }: { readonly types: readonly TypeOverview[] }) {
  const timed = types
    .flatMap(({ typeName, duration }) => (duration === undefined ? [] : [{ typeName, ...duration }]))
    .sort((one, other) => other.p95Ms - one.p95Ms)
    .slice(0, shownTypes);
  if (timed.length === 0) return <p class="muted chart-empty">No job has ended yet.</p>;
  // A root scale keeps short types visible beside long ones, and the order true.
  const most = Math.sqrt(Math.max(1, ...timed.map(({ p95Ms }) => p95Ms)));
  const width = (ms: number) => `${Math.max(1, (Math.sqrt(ms) / most) * 100)}%`;
  return (
    <ul class="runtimes">
      {timed.map(({ typeName, p50Ms, p95Ms, samples }) => (
        <li key={typeName} title={`of the last ${samples} jobs`}>
          <span class="runtime-name">{typeName}</span>
          <span class="runtime-bar" aria-hidden="true">
            <span class="runtime-p95" style={{ width: width(p95Ms) }} />
            <span class="runtime-p50" style={{ width: width(p50Ms) }} />
          </span>
          <span class="runtime-value nowrap">
            {formatDuration(p50Ms)} <span class="muted">/ {formatDuration(p95Ms)}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
