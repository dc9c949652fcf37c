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
    name: "payload: instances of subclasses of Array",
    in: "core:findFaultInArray",
    find: "if (!isPlainArray(values)) return fault(isInstance);",
    replace: "",
  },
  {
    name: "retry: a replaced input comes with the name of its step",
    in: "core:retryRequest",
    find: "if (typeName === undefined)",
    replace: 'if (typeName === "")',
  },
  {
    name: "schema: an input is checked where it is written",
    in: "core:checkInput",
    find: "if (issues !== undefined) throw misfit(",
    replace: "if (issues !== undefined && issues.length === 0) throw misfit(",
  },
  {
    name: "schema: a stored input that does not fit is not read",
    in: "core:fitToSchema",
    find: 'if (known.issues !== undefined) throw new UnreadableInput(stored, { why: "schema", issues: known.issues });',
    replace: "if (known.issues !== undefined) return value;",
  },
  {
    name: "schema: a schema that throws has not read the input",
    in: "core:fitToSchema",
    find: "return fail(error);",
    replace: "throw error;",
  },
  {
    name: "schema: an input that cannot be read uses up no attempt",
    in: "core:fateOf",
    find: "if (isUnreadable(error))",
    replace: "if (isUnreadable(error) && attempt > 1_000)",
  },
  {
    name: "versions: a claim names no version above its worker's own",
    in: "core:claimTypes",
    find: "version <= versions.newestInput(typeName)",
    replace: "version <= versions.newestInput(typeName) + 1",
  },
  {
    name: "versions: what is stored is lifted in the order of the versions",
    in: "core:lift",
    find: "const step = ladder.steps[version - 1];",
    replace: "const step = ladder.steps[newest - 2 - version + stored.version];",
  },
  {
    name: "versions: a version above the newest is refused",
    in: "core:lift",
    find: "if (ladder === undefined || stored.version > newest)",
    replace: "if (ladder === undefined)",
  },
  {
    name: "versions: an output is lifted by the versions of the type that wrote it",
    in: "core:chainView",
    find: "outputTypeName = typeName } = chain;",
    replace: "} = chain;\n  const outputTypeName = typeName;",
  },
  {
    name: "versions: an input that is written older goes back step by step",
    in: "core:prepareInput",
    find: "versions.toWritten(typeName, parse(text))",
    replace: "parse(text)",
  },
  {
    name: "schema: an attempt that was stopped meanwhile does not begin",
    in: "core:createAttempt",
    find: "checkLife(life);\n      const context = createContext(engine, { life, steps, notes }, seen);",
    replace: "const context = createContext(engine, { life, steps, notes }, seen);",
  },
  {
    name: "payload: a continuation that is not returned",
    in: "core:refuseLostContinuation",
    find: "if (!life.hasContinued || isContinuation(value)) return;",
    replace: "if (!life.hasContinued || value !== undefined) return;",
  },
  {
    name: "names: their limit counts bytes",
    in: "core:checkBytes",
    find: "new TextEncoder().encode(JSON.stringify(text)).length - 2;",
    replace: "text.length;",
  },
];
