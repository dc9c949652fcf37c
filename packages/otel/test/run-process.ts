import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** A span that a process of the `fixtures` folder reports. */
export interface SpanRecord {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly id: string;
  readonly parentId?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: { readonly code: number; readonly message?: string };
  readonly events: readonly { readonly name: string; readonly attributes: Readonly<Record<string, unknown>> }[];
  readonly links: readonly { readonly id: string; readonly attributes: Readonly<Record<string, unknown>> }[];
}

export interface MetricRecord {
  readonly name: string;
  readonly unit: string;
  readonly points: readonly { readonly attributes: Readonly<Record<string, unknown>>; readonly value: number }[];
}

export interface ProcessOutput {
  readonly text: string;
  readonly spans: readonly SpanRecord[];
  readonly metrics: readonly MetricRecord[];
}

/** Runs a program of the `fixtures` folder from its sources, in a process of its own. */
export async function runProcess(name: string, ...parameters: readonly string[]): Promise<ProcessOutput> {
  const path = fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url));
  const flags = ["--conditions=@chainwright/source", "--experimental-strip-types", "--no-warnings"];
  const { stdout: text } = await promisify(execFile)(process.execPath, [...flags, path, ...parameters]);
  return { text, ...(JSON.parse(text) as Pick<ProcessOutput, "spans" | "metrics">) };
}

/** Draws a tree as text: one line per span, indented below its parent; links show the names of their targets. */
export function drawTree(spans: readonly SpanRecord[]): string {
  const nameOf = (id: string): string => spans.find((span) => span.id === id)?.name ?? "?";
  const draw = (span: SpanRecord, depth: number): string[] => {
    const links = span.links.map((link) => ` ~${String(link.attributes["chainwright.link"])}:${nameOf(link.id)}`);
    const attempt = attemptOf(span);
    const line = `${"  ".repeat(depth)}${kinds[span.kind]} ${span.name}${attempt === 0 ? "" : ` #${attempt}`}`;
    const failed = span.status.code === 2 ? ` !${String(span.attributes["error.type"])}` : "";
    return [`${line}${failed}${links.join("")}`, ...childrenOf(span.id).flatMap((child) => draw(child, depth + 1))];
  };
  const childrenOf = (id: string | undefined) =>
    spans.filter((span) => span.parentId === id).sort((a, b) => orderOf(a).localeCompare(orderOf(b)));
  return childrenOf(undefined)
    .flatMap((root) => draw(root, 0))
    .join("\n");
}

const kinds = ["internal", "server", "client", "producer", "consumer"];

function orderOf(span: SpanRecord): string {
  return `${attemptOf(span)} ${span.name}`;
}

/** Returns 0 for a span that does not belong to an attempt. */
function attemptOf({ attributes }: SpanRecord): number {
  return Number(attributes["chainwright.attempt"] ?? 0);
}
