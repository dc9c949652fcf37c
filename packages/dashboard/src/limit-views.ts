import type { DeclaredLimit, LimitInfo } from "chainwright";
import { limitIdOf } from "./limit-id.ts";
import type { AllowedView, DeclaredLimitView, LimitKeyView } from "./protocol/limits.ts";
import type { Redaction } from "./redaction.ts";

export function declaredLimitView(info: DeclaredLimit): DeclaredLimitView {
  const { limit, codeVersion, declared, override, isPaused, pausedUntil } = info;
  return {
    id: limitIdOf({ limit }),
    limit,
    codeVersion,
    ...allowedView(info),
    declared: declared && allowedView(declared),
    isOverridden: override !== undefined,
    isPaused,
    pausedUntil: pausedUntil?.getTime(),
  };
}

/** A key comes from an input, so `redact` may hide it. Then its id, which names it, is left out. */
export function limitKeyView(info: LimitInfo, redaction: Redaction): LimitKeyView {
  const { limit, key, running, waiting, declared, isOverridden, isPaused, pausedUntil, breaker, opensAt } = info;
  const shown = shownKey(info, redaction);
  return {
    id: shown === key ? limitIdOf({ limit, key }) : undefined,
    limit,
    key: shown,
    running,
    waiting,
    ...allowedView(info),
    declared: declared && allowedView(declared),
    isOverridden,
    isPaused,
    pausedUntil: pausedUntil?.getTime(),
    breaker: breaker && { ...breaker, openUntil: breaker.openUntil.getTime() },
    opensAt: opensAt?.getTime(),
  };
}

/** A sentence about closed limits without the keys that `redact` hides. */
export function withoutHiddenKeys(sentence: string, limits: readonly LimitInfo[], redaction: Redaction): string {
  return limits.reduce(
    (text, info) => text.replaceAll(`of "${info.key}"`, () => `of "${shownKey(info, redaction)}"`),
    sentence,
  );
}

function shownKey({ limit, key }: LimitInfo, redaction: Redaction): string {
  const seen = redaction(key, { part: "limitKey", typeName: "", chainId: "", limit });
  return typeof seen === "string" ? seen : (JSON.stringify(seen) ?? "");
}

function allowedView({ concurrency, rate }: AllowedView): AllowedView {
  return { concurrency, rate };
}
