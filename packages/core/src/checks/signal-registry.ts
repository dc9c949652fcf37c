import { ChainwrightError } from "../model/error.ts";
import type { JobTypeDefinition, SchemaLike } from "../model/job-type.ts";
import { invalid } from "./check-options.ts";
import { parse } from "./json.ts";
import { listNames } from "./list-names.ts";
import { misfit, validate, whenKnown } from "./schema-verdict.ts";
import { UnreadableInput } from "./unreadable-input.ts";

/** The signals of a client's job types at run time. Types that are declared without schemas accept every name and payload. */
export interface SignalRegistry {
  /** Rejects a start of a type with signals that does not say until when it waits, and a wait of a type without signals. */
  assertWait(typeName: string, waits: boolean): void;
  /** The names that a type declares with schemas; none for other types. */
  namesOf(typeName: string): readonly string[];
  /** Rejects a name that the type does not declare. */
  assertKnown(typeName: string, signal: string): void;
  /** Validates a payload if its signal has a schema. Returns a promise if the schema does. */
  checkPayload(typeName: string, signal: string, text: string): void | Promise<void>;
  /**
   * The payload that a handler gets for a stored one, or a promise of it.
   *
   * @throws `UnreadableInput`
   */
  readPayload(typeName: string, signal: string, text: string): unknown;
}

export function createSignalRegistry(definitions: ReadonlyMap<string, JobTypeDefinition>): SignalRegistry {
  const schemaOf = (typeName: string, signal: string): SchemaLike | undefined => {
    const signals = definitions.get(typeName)?.signals;
    return signals !== undefined && Object.hasOwn(signals, signal) ? signals[signal] : undefined;
  };
  return {
    assertWait(typeName, waits) {
      const definition = definitions.get(typeName);
      if (definition === undefined || (definition.signals !== undefined) === waits) return;
      throw invalid(
        waits
          ? `"${typeName}" has no signals, so it cannot wait for them; remove waitUntil, or declare signals.`
          : `waitUntil must be { at }, { afterMs } or "forever", because "${typeName}" has signals; got none.`,
      );
    },
    namesOf: (typeName) => Object.keys(definitions.get(typeName)?.signals ?? {}),
    assertKnown(typeName, signal) {
      const definition = definitions.get(typeName);
      if (definition === undefined || schemaOf(typeName, signal) !== undefined) return;
      const names = Object.keys(definition.signals ?? {});
      const known = names.length === 0 ? "it has none" : `it has ${listNames(names)}`;
      throw new ChainwrightError("unknown-signal", `"${signal}" is not a signal of "${typeName}"; ${known}.`);
    },
    checkPayload(typeName, signal, text) {
      const schema = schemaOf(typeName, signal);
      if (schema === undefined) return;
      return whenKnown(validate(schema, parse(text)), ({ issues }) => {
        if (issues !== undefined) throw misfit(`the payload of signal "${signal}" of "${typeName}"`, issues);
      });
    },
    readPayload(typeName, signal, text) {
      const value = parse(text);
      const schema = schemaOf(typeName, signal);
      if (schema === undefined) return value;
      return whenKnown(validate(schema, value), (verdict) => {
        if (verdict.issues === undefined) return verdict.value;
        throw new UnreadableInput(
          { payload: "signal", typeName, version: 1 },
          { why: "schema", issues: verdict.issues },
        );
      });
    },
  };
}
