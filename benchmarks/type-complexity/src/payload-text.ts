import type { Fields, JobType } from "./job-type.ts";

/** A payload's type, as a definition has it. */
export function typeText(fields: Fields): string {
  return `{ ${Object.entries(fields)
    .map(([name, type]) => `${name}: ${type}`)
    .join("; ")} }`;
}

/** A value of it. */
export function valueText(fields: Fields): string {
  return `{ ${Object.entries(fields)
    .map(([name, type]) => `${name}: ${type === "string" ? `""` : "0"}`)
    .join(", ")} }`;
}

/** A start or a continuation, with its blockers written inline. */
export function inlineStart(type: JobType, typeNamed: (name: string) => JobType): string {
  const blockers = type.blockers.map((name) => inlineStart(typeNamed(name), typeNamed)).join(", ");
  return stepText(type, blockers);
}

/** A step with these blockers, as they are written. */
export function stepText(type: JobType, blockers: string): string {
  return `{ typeName: "${type.name}", input: ${valueText(type.input)}${type.blockers.length === 0 ? "" : `, blockers: [${blockers}]`}${type.signals ? `, waitUntil: { afterMs: 1_000 }, collect: { approved: 2 }` : ""} }`;
}

/** The property of a payload that is different for each type, or else the only one. */
export function ownField(fields: Fields): string {
  return Object.keys(fields).at(-1) ?? "id";
}
