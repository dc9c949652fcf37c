import type { TickView } from "../../../src/protocol/schedules.ts";
import { formatExact } from "../format/moment.ts";
import { Link } from "../routing/link.tsx";
import { chainHref } from "../routing/place.ts";

const reasonTexts: Readonly<Record<NonNullable<TickView["reason"]>, string>> = {
  overlap: "skipped, because the chain of the tick before was active",
  missed: "missed, because it was late",
};

/** The latest ticks, the oldest first: a dot that links to its chain, or an empty one with the reason. */
export function TickDots({ ticks }: { readonly ticks: readonly TickView[] }) {
  if (ticks.length === 0) return <span class="zero">none yet</span>;
  return (
    <ul class="tick-dots" aria-label="Last ticks">
      {ticks.toReversed().map((tick) => (
        <li key={tick.at}>
          <TickDot tick={tick} />
        </li>
      ))}
    </ul>
  );
}

function TickDot({ tick: { at, chainId, reason } }: { readonly tick: TickView }) {
  if (chainId !== undefined) {
    const text = `${formatExact(at)}: chain ${chainId}`;
    return (
      <Link href={chainHref(chainId)} class="tick-dot" title={text} label={text} kind="started">
        {null}
      </Link>
    );
  }
  const text = `${formatExact(at)}: ${reason === undefined ? "no chain" : reasonTexts[reason]}`;
  return <span class="tick-dot" data-kind={reason ?? "none"} role="img" aria-label={text} title={text} />;
}
