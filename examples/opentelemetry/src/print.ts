import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import type { ResourceMetrics } from "@opentelemetry/sdk-metrics";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";

/** Prints spans as a tree, one line each. */
export function treeOf(spans: readonly ReadableSpan[]): string {
  const childrenOf = (id: string | undefined): ReadableSpan[] =>
    spans.filter((span) => span.parentSpanContext?.spanId === id).sort(byStart);
  const draw = (span: ReadableSpan, depth: number): string[] => [
    "  ".repeat(depth) + lineOf(span),
    ...childrenOf(span.spanContext().spanId).flatMap((child) => draw(child, depth + 1)),
  ];
  return childrenOf(undefined)
    .flatMap((root) => draw(root, 0))
    .join("\n");
}

function lineOf({ name, kind, status, attributes, links }: ReadableSpan): string {
  const failed = status.code === SpanStatusCode.ERROR ? ` failed: ${String(attributes["error.type"])}` : "";
  const blockers = links.filter((link) => link.attributes?.["chainwright.link"] === "blocker").length;
  return `${name} (${SpanKind[kind].toLowerCase()})${failed}${blockers > 0 ? `, linked to ${blockers} blocker` : ""}`;
}

function byStart(a: ReadableSpan, b: ReadableSpan): number {
  return a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1];
}

/** Prints counters, one line per data point. */
export function countersOf(collected: ResourceMetrics | undefined): string {
  const counters = (collected?.scopeMetrics ?? []).flatMap((scope) => scope.metrics);
  return counters
    .flatMap(({ descriptor, dataPoints }) =>
      dataPoints.flatMap(({ attributes, value }) => {
        if (typeof value !== "number" || value === 0) return [];
        const { "messaging.system": _, ...others } = attributes;
        return `${descriptor.name} ${Object.values(others).join(" ")} ${value}`;
      }),
    )
    .sort()
    .join("\n");
}
