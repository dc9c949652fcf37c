import { now } from "../data/now.ts";
import { formatExact, formatRelative } from "../format/moment.ts";

/** A moment: relative, with the exact time on hover and for machines. */
export function Time({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={formatExact(at)} class="nowrap">
      {formatRelative(at, now.value)}
    </time>
  );
}

/** A moment, exact and relative. */
export function FullTime({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()}>
      {formatExact(at)} <span class="muted">({formatRelative(at, now.value)})</span>
    </time>
  );
}
