import { listNames } from "../checks/list-names.ts";
import { isServed, type Code, type Served } from "./code.ts";
import { reachableFrom } from "./reachable.ts";
import type { Found } from "./report.ts";

/** Checks the names of types, without reading jobs. @param open how many jobs of each type have not ended */
export function checkTypes(open: ReadonlyMap<string, number>, code: Code): readonly Found[] {
  return [...unreachable(open.keys(), code), ...unknownNext(open, code)];
}

/** What open jobs lead to and no one serves. */
export function unreachable(from: Iterable<string>, code: Served): readonly Found[] {
  return Array.from(reachableFrom(from, code.types))
    .filter(([typeName]) => !isServed(code, typeName))
    .map(([typeName, via]): Found => {
      const message = `Jobs of "${via}" lead to "${typeName}", which has no processor in this code: keep its processor until such chains have ended, or name it in servedElsewhere.`;
      return { code: "unreachable-next", typeName, message, details: { via } };
    });
}

function unknownNext(open: ReadonlyMap<string, number>, { types, processors }: Code): readonly Found[] {
  const unknown = [...open.keys()].filter(
    (typeName) => processors.has(typeName) && types.get(typeName)?.continueWith === undefined,
  );
  if (unknown.length === 0) return [];
  const message = `What ${listNames(unknown)} continue with is not known at run time, because they are declared without schemas or continue by shape: the next steps of their chains were not checked. Pass a manifest that names them.`;
  return [{ code: "types-only", message, details: { typeNames: unknown } }];
}
