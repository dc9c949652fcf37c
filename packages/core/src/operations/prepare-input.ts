import { parse, serialize } from "../checks/json.ts";
import { whenKnown } from "../checks/schema-verdict.ts";
import type { JobLimit } from "../model/limit.ts";
import type { Engine } from "../engine/engine.ts";

/** An input as it is written. */
interface PreparedInput {
  /** JSON text. */
  readonly input: string;
  /** Undefined: 1. */
  readonly version: number | undefined;
  /** The limits of a job with it. Undefined: none. */
  readonly limits: readonly JobLimit[] | undefined;
}

/** Checks an input of the newest version, and makes of it what is written. Returns a promise if its schema does. */
export function prepareInput(engine: Engine, typeName: string, value: unknown): PreparedInput | Promise<PreparedInput> {
  const what = `the input of "${typeName}"`;
  const text = serialize(value, what, engine.maxPayloadBytes);
  const checked = engine.types.checkInput(typeName, text);
  const write = (): PreparedInput => {
    const { versions } = engine.types;
    const limits = engine.types.limits.limitsOf(typeName, text);
    const version = versions.versionToWrite(typeName);
    if (version === versions.newestInput(typeName))
      return { input: text, version: version === 1 ? undefined : version, limits };
    const older = serialize(
      versions.toWritten(typeName, parse(text)),
      `${what} in version ${version}`,
      engine.maxPayloadBytes,
    );
    return { input: older, version: version === 1 ? undefined : version, limits };
  };
  return checked instanceof Promise ? whenKnown(checked, write) : write();
}
