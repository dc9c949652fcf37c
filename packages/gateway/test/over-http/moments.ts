import { reasons } from "./reasons.ts";
import { outOfReach, type CaseRun } from "./run-case.ts";

type Options = Readonly<Record<string, unknown>>;

/** Options of a start or a next step as a body has them: moments are text, and of a chain that is a blocker only its name is there. */
export function bodyOf(run: CaseRun, options: Options, around: readonly Options[] = []): Options {
  if (!isObject(options) || around.includes(options)) return outOfReach(run, reasons.notJson);
  const { blockers, tags } = options;
  const isComplete = ({ value }: PropertyDescriptor): boolean => value !== undefined;
  if (isObject(tags) && !Object.values(Object.getOwnPropertyDescriptors(tags)).every(isComplete))
    return outOfReach(run, reasons.notJson);
  const dated = ["schedule", "waitUntil", "deadline"].flatMap((name) => {
    const given = options[name];
    return isObject(given) && given["at"] instanceof Date ? [[name, { ...given, at: textOf(given["at"]) }]] : [];
  });
  return {
    ...options,
    ...(Object.fromEntries(dated) as Options),
    ...(Array.isArray(blockers) && {
      blockers: blockers.map((blocker: unknown) => blockerOf(run, blocker, [...around, options])),
    }),
  };
}

function blockerOf(run: CaseRun, blocker: unknown, around: readonly Options[]): Options {
  if (!isObject(blocker)) return outOfReach(run, reasons.notJson);
  const { id, typeName } = blocker;
  return "input" in blocker && !("status" in blocker) ? bodyOf(run, blocker, around) : { id, typeName };
}

function textOf(at: Date): unknown {
  return Number.isNaN(at.getTime()) ? at : at.toISOString();
}

function isObject(value: unknown): value is Options {
  return typeof value === "object" && value !== null;
}
