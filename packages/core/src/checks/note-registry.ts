import type { JobTypeDefinition } from "../model/job-type.ts";
import { invalid } from "./check-options.ts";
import { parse } from "./json.ts";
import { misfit, validate, whenKnown } from "./schema-verdict.ts";
import { UnreadableInput } from "./unreadable-input.ts";

/** What the handlers of a client's job types note, at run time. Types that are declared without schemas accept every value. */
export interface NoteRegistry {
  /** Rejects a value that the type does not declare, or that its schema refuses. Returns a promise if the schema does. */
  check(what: "checkpoint" | "progress", typeName: string, text: string): void | Promise<void>;
  /**
   * The checkpoint that a handler gets for a stored one, or a promise of it.
   *
   * @throws `UnreadableInput`
   */
  readCheckpoint(typeName: string, text: string): unknown;
}

export function createNoteRegistry(definitions: ReadonlyMap<string, JobTypeDefinition>): NoteRegistry {
  return {
    check(what, typeName, text) {
      const definition = definitions.get(typeName);
      if (definition === undefined) return;
      const schema = definition[what];
      if (schema === undefined) throw invalid(`"${typeName}" declares no ${what}; add ${what} to its definition.`);
      return whenKnown(validate(schema, parse(text)), ({ issues }) => {
        if (issues !== undefined) throw misfit(`the ${what} of "${typeName}"`, issues);
      });
    },
    readCheckpoint(typeName, text) {
      const value = parse(text);
      const schema = definitions.get(typeName)?.checkpoint;
      if (schema === undefined) return value;
      return whenKnown(validate(schema, value), (verdict) => {
        if (verdict.issues === undefined) return verdict.value;
        const stored = { payload: "checkpoint", typeName, version: 1 } as const;
        throw new UnreadableInput(stored, { why: "schema", issues: verdict.issues });
      });
    },
  };
}
