import { reasons } from "./reasons.ts";
import { outOfReach, type CaseRun } from "./run-case.ts";

type Options = Readonly<Record<string, unknown>>;

/** Options of a start or a next step as a body has them: moments are text, and started chains serve as blockers. */
export function bodyOf(run: CaseRun, options: Options): Options {
  if (!isObject(options)) return outOfReach(run, reasons.notJson);
  const { blockers, signals, tags } = options;
  const isComplete = ({ value }: PropertyDescriptor): boolean => value !== undefined;
  if (isObject(tags) && !Object.values(Object.getOwnPropertyDescriptors(tags)).every(isComplete))
    return outOfReach(run, reasons.notJson);
  if (signals !== undefined) return outOfReach(run, reasons.startWithSignals);
  const dated = ["schedule", "waitUntil", "deadline"].flatMap((name) => {
    const given = options[name];
    return isObject(given) && given["at"] instanceof Date ? [[name, { ...given, at: textOf(given["at"]) }]] : [];
  });
  return {
    ...options,
    ...(Object.fromEntries(dated) as Options),
    ...(Array.isArray(blockers) && { blockers: blockers.map((blocker: unknown) => blockerOf(run, blocker)) }),
  };
}

function blockerOf(run: CaseRun, blocker: unknown): Options {
  if (!isObject(blocker)) return outOfReach(run, reasons.notJson);
  const { id, typeName } = blocker;
  return id === undefined ? outOfReach(run, reasons.inlineBlocker) : { id, typeName };
}

function textOf(at: Date): unknown {
  return Number.isNaN(at.getTime()) ? at : at.toISOString();
}

function isObject(value: unknown): value is Options {
  return typeof value === "object" && value !== null;
}
