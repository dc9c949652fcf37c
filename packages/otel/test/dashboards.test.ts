import { readFileSync } from "node:fs";
import { PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { createOtelObserver, observeCounts } from "../src/index.ts";
import { measured } from "./events.ts";
import { createSdk } from "./sdk.ts";

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
  readonly templating: { readonly list: readonly { readonly query: string }[] };
}
interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}

const read = (name: string): string => readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
const dashboard = JSON.parse(read("grafana-dashboard.json")) as Dashboard;
const alerts = parse(read("prometheus-alerts.yaml")) as Rules;
const expressions = [
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ...dashboard.templating.list.map(({ query }) => ["variable", query] as const),
  ...alerts.groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => [alert, expr] as const)),
];

/** The series that Prometheus gets from the SDK's exporter: names, with the labels of each. */
const series = new Map<string, Set<string>>();
/** The same series with units in their names, as collectors and OTLP write them. */
const withUnits = new Map<string, string>();

beforeAll(async () => {
  const sdk = createSdk();
  const observer = createOtelObserver(sdk);
  for (const event of measured) observer(event);
  const count = { ready: 1, scheduled: 1, blocked: 1, waiting: 1, running: 1, completed: 1, failed: 1, cancelled: 1 };
  const client = {
    countJobs: async () => ({ echo: { ...count, oldestReadyMs: 1 } }),
    countQueuedJobs: async () => [{ typeName: "echo", version: 2, pool: "gpu", ready: 1, workers: 0 }],
    listDueSchedules: async () => ({ lagMs: 1 }),
    listPausedTypes: async () => [{ typeName: "echo" }],
    listLimits: async () => ({ items: [{ limit: "smtp", running: 2, waiting: 1 }], nextCursor: undefined }),
  };
  observeCounts({ client, meterProvider: sdk.meterProvider });
  const { resourceMetrics } = await sdk.reader.collect();
  // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the exporter brings an SDK of its own, a patch older
  const text = new PrometheusSerializer().serialize(resourceMetrics);
  for (const [, name = "", labels = ""] of text.matchAll(/^([a-z_]+)\{(.*)\} \S+$/gm)) {
    if (name === "target_info") continue;
    const known = series.get(name) ?? new Set();
    for (const [, label = ""] of labels.matchAll(/([a-z_]+)="/g)) known.add(label);
    series.set(name, known);
  }
  for (const { descriptor } of resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics)) {
    const base = descriptor.name.replaceAll(".", "_");
    for (const name of series.keys()) {
      if (descriptor.unit === "s" && name.startsWith(base)) withUnits.set(name, name.replace(base, `${base}_seconds`));
    }
  }
});

/** Returns the series that an expression selects, each with the labels in its braces. */
function selectionsOf(
  expression: string,
): { readonly matches: (name: string) => boolean; readonly labels: string[] }[] {
  const braces = [...expression.matchAll(/([a-z_]+)?\{([^}]*)\}/g)].map(([, name, inside = ""]) => {
    const pattern = /__name__=~"([^"]*)"/.exec(inside)?.[1];
    const labels = Array.from(inside.matchAll(/([a-z_]+)!?=~?"/g), ([, label = ""]) => label);
    return {
      matches: (each: string) => (pattern === undefined ? each === name : new RegExp(`^(?:${pattern})$`).test(each)),
      labels: labels.filter((label) => label !== "__name__"),
    };
  });
  const bare = expression.replaceAll(/([a-z_]+)?\{[^}]*\}/g, "").replaceAll(/(?:by|on) \([^)]*\)/g, "");
  const names = Array.from(bare.matchAll(/\b(?:messaging|chainwright)_[a-z_]+/g), ([name]) => name);
  const variable = expression.startsWith("label_values");
  return [
    ...braces,
    ...names
      .filter((_, index) => !variable || index === 0)
      .map((name) => ({ matches: (each: string) => each === name, labels: [] })),
  ];
}

describe.each(expressions.filter(([, expression]) => expression !== "prometheus"))("%s: %s", (_, expression) => {
  it("selects exported series by labels that they have", () => {
    const selections = selectionsOf(expression);
    expect(selections.length).toBeGreaterThan(0);
    for (const { matches, labels } of selections) {
      const selected = [...series].filter(([name]) => matches(name));
      expect(selected).toHaveLength(1);
      expect([...(selected[0]?.[1] ?? [])]).toEqual(expect.arrayContaining(labels));
      const name = selected[0]?.[0] ?? "";
      expect(matches(withUnits.get(name) ?? name)).toBe(true);
    }
  });

  it("groups by exported labels", () => {
    const exported = new Set([...series.values()].flatMap((labels) => [...labels]));
    for (const [, list = ""] of expression.matchAll(/(?:by|on) \(([^)]*)\)/g))
      for (const label of list.split(", ")) expect(exported).toContain(label);
  });
});

it("shows every exported metric in a panel", () => {
  const shown = dashboard.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => selectionsOf(expr)));
  const families = new Set(Array.from(series.keys(), (name) => name.replace(/_(bucket|sum|count)$/, "")));
  expect(families.size).toBe(28);
  const missing = [...families].filter(
    (family) =>
      !["", "_bucket", "_sum", "_count"].some((suffix) => shown.some(({ matches }) => matches(family + suffix))),
  );
  expect(missing).toEqual([]);
});
