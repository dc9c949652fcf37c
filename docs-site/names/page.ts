import type { PublicName } from "../samples/exported.ts";
import { since } from "./since.ts";
import { stabilityOf } from "./stability.ts";

/** The page of all public names, as Markdown. */
export function namesPage(all: ReadonlyMap<string, readonly PublicName[]>): string {
  const sections = [...all].map(([door, names]) => {
    const { name, meaning } = stabilityOf(door);
    const rows = names.map((each) => `| \`${each.name}\` | ${cell(each.summary)} | ${sinceOf(door, each.name)} |`);
    return [
      `## ${door}`,
      `**${name}**. ${meaning}`,
      ["| name | what it is | since |", "| --- | --- | --- |", ...rows].join("\n"),
    ];
  });
  return [
    "# Public names",
    "Everything that can be imported, by door, with its stability and the version since which it is there. What is in no door is internal.",
    ...sections.flat(),
    "",
  ].join("\n\n");
}

/** The version since which a name can be imported; undefined: it is not recorded. */
export function sinceOf(door: string, name: string): string | undefined {
  return Object.entries(since[door] ?? {}).find(([, names]) => names.includes(name))?.[0];
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("{", "&#123;");
}
