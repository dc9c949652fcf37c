import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** A span as a process of the `fixtures` folder tells it. */
export interface ToldSpan {
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

export interface ToldMetric {
  readonly name: string;
  readonly unit: string;
  readonly points: readonly { readonly attributes: Readonly<Record<string, unknown>>; readonly value: number }[];
}

export interface Told {
  readonly text: string;
  readonly spans: readonly ToldSpan[];
  readonly metrics: readonly ToldMetric[];
}

/** Runs a program of the `fixtures` folder from its sources, in a process of its own. */
export async function runProcess(name: string, ...parameters: readonly string[]): Promise<Told> {
  const path = fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url));
  const flags = ["--conditions=@chainwright/source", "--experimental-strip-types", "--no-warnings"];
  const { stdout: text } = await promisify(execFile)(process.execPath, [...flags, path, ...parameters]);
  return { text, ...(JSON.parse(text) as Pick<Told, "spans" | "metrics">) };
}

/** A tree as text: a line a span, indented below its parent; links by the names of what they point to. */
export function drawTree(spans: readonly ToldSpan[]): string {
  const nameOf = (id: string): string => spans.find((span) => span.id === id)?.name ?? "?";
  const draw = (span: ToldSpan, depth: number): string[] => {
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

function orderOf(span: ToldSpan): string {
  return `${attemptOf(span)} ${span.name}`;
}

/** 0 for a span that is none of an attempt. */
function attemptOf({ attributes }: ToldSpan): number {
  return Number(attributes["chainwright.attempt"] ?? 0);
}
