import { ChainwrightError } from "../model/error.ts";

/**
 * The one place where payloads become text. A payload that is read from the store equals the one that was written, so values that
 * JSON would drop or change silently are rejected here: functions, symbols, bigints, dates, maps, instances of classes, `NaN`, holes in arrays,
 * properties that JSON does not see.
 *
 * A property whose value is `undefined` is left out, as JSON does; `-0` becomes `0`.
 */
export function serialize(value: unknown, what: string, maxBytes: number): string {
  let text: string;
  try {
    const found = findFault(value);
    if (found !== undefined) throw notSerializable(what, found);
    text = JSON.stringify(value);
    // A getter may return different values to the check and to `JSON.stringify`.
    if (typeof text !== "string") throw notSerializable(what, fault("changes while it is read"));
  } catch (error) {
    if (error instanceof ChainwrightError) throw error;
    const reason =
      error instanceof RangeError ? "it is nested too deeply or refers to itself" : "reading it threw an error";
    throw new ChainwrightError("payload-not-serializable", `${what} cannot be stored as JSON: ${reason}.`, {
      cause: error,
    });
  }
  const bytes = text.length * 3 <= maxBytes ? 0 : new TextEncoder().encode(text).length;
  if (bytes <= maxBytes) return text;
  throw new ChainwrightError(
    "payload-too-large",
    `${what} has ${bytes} bytes as JSON; the limit is ${maxBytes}. Store the data elsewhere and pass a reference, or raise maxPayloadBytes in createClient.`,
    { details: { bytes, maxBytes } },
  );
}

/** Reads a payload that `serialize` wrote. */
export function parse(text: string): unknown {
  return JSON.parse(text);
}

interface Fault {
  /** From the value looked at down to the culprit; empty: the value itself. */
  readonly path: string;
  readonly reason: string;
}

function notSerializable(what: string, { path, reason }: Fault): ChainwrightError {
  const place = path === "" ? what : `${what} at ${path}`;
  return new ChainwrightError("payload-not-serializable", `${place} ${reason}.`, { details: { path } });
}

/** The first place that JSON cannot carry. Recurses as deep as the value; a cycle ends as a RangeError, which the caller reports. */
function findFault(value: unknown): Fault | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : fault(`is ${value}, which JSON cannot carry; use null or a string`);
    case "object":
      if (value === null) return undefined;
      return Array.isArray(value) ? findFaultInArray(value) : findFaultInObject(value);
    case "bigint":
      return fault("is a bigint, which JSON cannot carry; use a string");
    case "undefined":
      return fault("is undefined, which JSON cannot carry; use null");
    default:
      return fault(`is a ${typeof value}, which JSON cannot carry`);
  }
}

function findFaultInArray(values: readonly unknown[]): Fault | undefined {
  if ("toJSON" in values) return fault(hasToJson);
  if (!isPlainArray(values)) return fault(isInstance);
  for (let index = 0; index < values.length; index += 1) {
    const inner = findFault(values[index]);
    if (inner !== undefined) return { path: `[${index}]${inner.path}`, reason: inner.reason };
  }
  // Indexes are keys, too. Those that are not enumerable would cost ten times as much to find as those that are.
  if (Object.keys(values).length === values.length && Object.getOwnPropertySymbols(values).length === 0)
    return undefined;
  return fault("has properties besides its elements, which JSON would drop; pass an object with the array in it");
}

function findFaultInObject(value: object): Fault | undefined {
  if (!isPlain(value)) return faultOfInstance(value);
  if ("toJSON" in value && typeof value.toJSON === "function") return fault(hasToJson);
  const entries = Object.entries(value);
  if (Object.getOwnPropertyNames(value).length > entries.length || Object.getOwnPropertySymbols(value).length > 0) {
    return fault("has a property that JSON would drop: its key is a symbol, or it is not enumerable");
  }
  for (const [key, property] of entries) {
    if (property === undefined) continue;
    const inner = findFault(property);
    if (inner !== undefined) return { path: `.${key}${inner.path}`, reason: inner.reason };
  }
  return undefined;
}

/** An object literal of any realm, or an object without a prototype. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype) return !(Symbol.toStringTag in value);
  if (prototype === null) return !isRawJson(value);
  // The prototype of another realm's plain objects.
  return isObject(prototype) && Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "isPrototypeOf");
}

/** An array of any realm: the prototype of arrays is an array itself, and that of a subclass is not. */
function isPlainArray(values: readonly unknown[]): boolean {
  const prototype: unknown = Object.getPrototypeOf(values);
  if (prototype === Array.prototype) return true;
  const parent: unknown = Array.isArray(prototype) ? Object.getPrototypeOf(prototype) : undefined;
  return isObject(parent) && Object.getPrototypeOf(parent) === null;
}

/** A value of `JSON.rawJSON` can be any JSON text, also a number that a double cannot represent. Not every Node.js has it. */
function isRawJson(value: object): boolean {
  return json.isRawJSON?.(value) === true;
}

const json: JSON & { isRawJSON?(value: unknown): boolean } = JSON;

function faultOfInstance(value: object): Fault {
  const kind = Object.prototype.toString.call(value);
  if (value instanceof Promise) return fault("is a Promise, which JSON cannot carry; await it first");
  if (kind !== "[object Object]") {
    return fault(`is a ${kind.slice(8, -1)}, which JSON cannot carry; convert it to a string or a plain object`);
  }
  if ("toJSON" in value) return fault(hasToJson);
  if (isRawJson(value))
    return fault("is a value of JSON.rawJSON, which may be read as a different value; pass the value itself");
  return fault(isInstance);
}

const isInstance =
  "is an instance of a class, whose methods and private fields JSON would drop; pass a plain object, such as { ...value }";

const hasToJson = "has a toJSON method; call it and pass what it returns";

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
function fault(reason: string): Fault {
  return { path: "", reason };
}
