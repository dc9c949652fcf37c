import type { Mutant } from "../mutant.ts";

/** Keeps texts and values from a store that would return them changed. */
export const payloadMutants: readonly Mutant[] = [
  {
    name: "payload: properties that JSON does not see",
    in: "core:findFaultInObject",
    find: "if (Object.getOwnPropertyNames(value).length > entries.length || Object.getOwnPropertySymbols(value).length > 0) {",
    replace: "if (entries.length < 0) {",
  },
  {
    name: "payload: properties of an array besides its elements",
    in: "core:findFaultInArray",
    find: "Object.keys(values).length === values.length &&",
    replace: "Object.keys(values).length > 0 &&",
  },
  {
    name: "payload: instances of classes",
    in: "core:findFaultInObject",
    find: "if (!isPlain(value)) return faultOfInstance(value);",
    replace: 'if (Object.prototype.toString.call(value) !== "[object Object]") return faultOfInstance(value);',
  },
  {
    name: "names: their limit counts bytes",
    in: "core:checkBytes",
    find: "new TextEncoder().encode(JSON.stringify(text)).length - 2;",
    replace: "text.length;",
  },
];
