import { now } from "../data/now.ts";
import { formatExact, formatRelative } from "../format/moment.ts";

/** A relative time, with the exact time on hover and for machines. */
export function Time({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={formatExact(at)} class="nowrap">
      {formatRelative(at, now.value)}
    </time>
  );
}

/** An exact and a relative time. */
export function FullTime({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()}>
      {formatExact(at)} <span class="muted">({formatRelative(at, now.value)})</span>
    </time>
  );
}
