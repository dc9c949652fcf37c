import { ChainwrightError } from "../model/error.ts";
import type { StoppedInput } from "../model/follow-up.ts";
import type { VersionLadder, VersionSlice, VersionStep } from "../model/version-step.ts";
import { invalid } from "./check-options.ts";
import { parse } from "./json.ts";
import { UnreadableInput, type StoredValue } from "./unreadable-input.ts";

/**
 * The versions of stored inputs and outputs that a client reads and writes, and the one place where stored text becomes a value:
 * it is parsed, and made newer step by step. A value of the newest version takes one comparison more than without versions.
 */
export interface StoredVersions {
  /** The newest version that this code knows; 1 for a type without versions. */
  newestInput(typeName: string): number;
  newestOutput(typeName: string): number;
  /** Whether some outputs have versions: then it matters of which type the job was that wrote one. */
  readonly hasOutputs: boolean;
  /** The types that have versions. */
  readonly names: readonly string[];
  /** @throws `UnreadableInput` */
  read(stored: StoredValue, text: string): unknown;
  /** The version in which an input is written. */
  versionToWrite(typeName: string): number;
  /** An input of the newest version as one of the version in which it is written. */
  toWritten(typeName: string, value: unknown): unknown;
}

type Ladders = ReadonlyMap<string, VersionLadder>;

export function createStoredVersions(slices: readonly VersionSlice[], isKnown: (typeName: string) => boolean) {
  const inputs: Ladders = merged(slices, "inputs");
  const outputs: Ladders = merged(slices, "outputs");
  const writes = new Map(slices.flatMap((slice) => Object.entries(slice.writes)));
  checkNames(slices, isKnown);
  const versions: StoredVersions = {
    newestInput: (typeName) => newestOf(inputs.get(typeName)),
    newestOutput: (typeName) => newestOf(outputs.get(typeName)),
    hasOutputs: outputs.size > 0,
    names: [...inputs.keys(), ...outputs.keys()],
    read(stored, text) {
      const ladder = (stored.payload === "input" ? inputs : outputs).get(stored.typeName);
      const value = stored.payload === "input" ? liftStopped(parse(text), inputs) : parse(text);
      return stored.version === newestOf(ladder) ? value : lift(ladder, stored, value);
    },
    versionToWrite: (typeName) => writes.get(typeName) ?? newestOf(inputs.get(typeName)),
    toWritten(typeName, value) {
      const steps = inputs.get(typeName)?.steps ?? [];
      let older = value;
      for (let version = steps.length + 1; version > versions.versionToWrite(typeName); version -= 1)
        older = goBack(steps[version - 2], older, `version ${version} of "${typeName}"`);
      return older;
    },
  };
  return versions;
}

function newestOf(ladder: VersionLadder | undefined): number {
  return ladder === undefined ? 1 : ladder.steps.length + 1;
}

function lift(ladder: VersionLadder | undefined, stored: StoredValue, value: unknown): unknown {
  const newest = newestOf(ladder);
  if (ladder === undefined || stored.version > newest)
    throw new UnreadableInput(stored, { why: "newer-version", newest });
  let lifted = value;
  for (let version = stored.version; version < newest; version += 1) {
    const step = ladder.steps[version - 1];
    if (step !== undefined) lifted = goUp(step, lifted, { stored, to: version + 1 });
  }
  return lifted;
}

/**
 * The input of a chain that follows a stopped one has the input of that chain in it, in the version in which that was stored. Only the
 * store writes this version: what a caller writes in the same shape has none, and is of the newest version.
 */
function liftStopped(value: unknown, inputs: Ladders): unknown {
  if (!isStopped(value)) return value;
  const { version, ...chain } = value.chain;
  const { typeName } = chain;
  const ladder = inputs.get(typeName);
  const stored = { payload: "input", typeName, version } as const;
  const input = version === newestOf(ladder) ? chain.input : lift(ladder, stored, chain.input);
  return { ...value, chain: { ...chain, input } };
}

function isStopped(value: unknown): value is StoppedInput {
  if (!isObject(value) || !isObject(value["chain"]) || !isObject(value["step"])) return false;
  const { version, typeName } = value["chain"];
  const { status } = value;
  return Number.isInteger(version) && typeof typeName === "string" && (status === "failed" || status === "cancelled");
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function goUp(
  { up }: VersionStep,
  value: unknown,
  { stored, to }: { readonly stored: StoredValue; readonly to: number },
): unknown {
  try {
    const next = up(value);
    if (next instanceof Promise) {
      next.catch(() => undefined);
      throw new TypeError("it returned a promise; it must be synchronous.");
    }
    return next;
  } catch (cause) {
    throw new UnreadableInput(stored, { why: "upcaster", to, cause });
  }
}

function goBack(step: VersionStep | undefined, value: unknown, what: string): unknown {
  try {
    return step?.back?.(value);
  } catch (error) {
    throw invalid(`the back of ${what} threw an error, so the input cannot be written in an older version.`, error);
  }
}

function merged(slices: readonly VersionSlice[], payload: "inputs" | "outputs"): Map<string, VersionLadder> {
  return new Map(slices.flatMap((slice) => Object.entries(slice[payload])));
}

function checkNames(slices: readonly VersionSlice[], isKnown: (typeName: string) => boolean): void {
  const seen = new Set<string>();
  for (const { inputs, outputs } of slices) {
    for (const typeName of new Set([...Object.keys(inputs), ...Object.keys(outputs)])) {
      if (seen.has(typeName))
        throw new ChainwrightError(
          "duplicate-job-type",
          `"${typeName}" has versions in two of \`versions\`; join them in one defineVersions.`,
        );
      if (!isKnown(typeName))
        throw invalid(
          `versions has "${typeName}", which is not a job type of the client; give its slice to createClient.`,
        );
      seen.add(typeName);
    }
  }
}
