import { CirclePause } from "lucide";
import type { AllowedView, BreakerView, RateView } from "../../../src/protocol/limits.ts";
import { Icon } from "../components/icon.tsx";
import { Time } from "../components/time.tsx";
import { formatDuration } from "../format/duration.ts";
import { formatExact } from "../format/moment.ts";
import { formatCount } from "../format/number.ts";

interface LimitBadgesProps {
  readonly of: {
    readonly isPaused: boolean;
    readonly pausedUntil: number | undefined;
    readonly breaker?: BreakerView | undefined;
  };
  readonly opensAt: number | undefined;
}

/** Whether a limit is paused or closed by failures, and when a job may begin again. */
export function LimitBadges({ of: { isPaused, pausedUntil, breaker }, opensAt }: LimitBadgesProps) {
  if (isPaused) {
    return (
      <span class="paused-badge" data-state="blocked">
        <Icon of={CirclePause} />
        paused {pausedUntil === undefined ? "until it is resumed" : `until ${formatExact(pausedUntil)}`}
      </span>
    );
  }
  if (breaker !== undefined) {
    return (
      <span class="paused-badge" data-state="blocked">
        <Icon of={CirclePause} />
        {breakerWords(breaker)}
      </span>
    );
  }
  return opensAt === undefined ? null : (
    <span class="nowrap">
      opens <Time at={opensAt} />
    </span>
  );
}

function breakerWords({ state, failures, openUntil }: BreakerView): string {
  const after = `closed after ${formatCount(failures)} ${failures === 1 ? "failure" : "failures"}`;
  return state === "open" ? `${after} until ${formatExact(openUntil)}` : `${after}; one job at a time tries it`;
}

/** What a limit allows, as `5 at a time, 100 in each 1.0 s`. */
export function allowedWords(allowed: AllowedView | undefined): string {
  if (allowed === undefined) return "not declared";
  const { concurrency, rate } = allowed;
  const parts = [
    ...(concurrency === undefined ? [] : [`${formatCount(concurrency)} at a time`]),
    ...(rate === undefined ? [] : [rateWords(rate)]),
  ];
  return parts.length === 0 ? "turns only" : parts.join(", ");
}

function rateWords({ count, perMs, spread }: RateView): string {
  return `${formatCount(count)} in each ${formatDuration(perMs)}${spread ? ", evenly" : ""}`;
}
