import { readProperty } from "./read-property.ts";

/** How much of a thrown object is shown. */
const mostLevels = 3;
const mostEntries = 20;
const mostValues = 100;
const longestText = 200;
const isWord = /^[\w$]{1,100}$/;

/**
 * Shows a thrown value that is no error, as `{ code: 42, reason: "full" }`. It calls no method and no getter of the value, and shows
 * a bounded part of it. A proxy may throw.
 */
export function showThrown(value: unknown): string {
  return typeof value === "string" ? value : show(value, { level: 0, shown: { values: 0 } });
}

interface Place {
  readonly level: number;
  readonly shown: { values: number };
}

function show(value: unknown, place: Place): string {
  place.shown.values += 1;
  switch (typeof value) {
    case "string":
      return quote(value);
    case "bigint":
      return `${value}n`;
    case "function":
      return "[Function]";
    case "object":
      return value === null ? "null" : showObject(value, place);
    default:
      return String(value);
  }
}

function showObject(value: object, place: Place): string {
  if (value instanceof Error) return `[${textIn(value, "name")}: ${textIn(value, "message")}]`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "[Invalid Date]" : value.toISOString();
  if (place.level >= mostLevels || place.shown.values > mostValues) return Array.isArray(value) ? "[…]" : "{…}";
  if (Array.isArray(value)) return `[${entriesOf(value, place, (_, shown) => shown)}]`;
  const entries = entriesOf(value, place, (key, shown) => `${isWord.test(key) ? key : quote(key)}: ${shown}`);
  return `${classOf(value)}{${entries === "" ? "" : ` ${entries} `}}`;
}

function entriesOf(value: object, { level, shown }: Place, join: (key: string, shown: string) => string): string {
  const keys = Object.keys(value);
  const entries: string[] = [];
  for (const key of keys) {
    if (entries.length >= mostEntries || shown.values > mostValues) break;
    const property = Object.getOwnPropertyDescriptor(value, key);
    const isGetter = property?.get !== undefined;
    entries.push(join(key, isGetter ? "[Getter]" : show(property?.value, { level: level + 1, shown })));
  }
  if (entries.length < keys.length) entries.push(`… ${keys.length - entries.length} more`);
  return entries.join(", ");
}

function quote(text: string): string {
  return JSON.stringify(text.length <= longestText ? text : `${text.slice(0, longestText)}…`);
}

/** The name of an object's class, unless it is a plain object. */
function classOf(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return "";
  const constructor = readProperty(value, "constructor");
  const name = typeof constructor === "function" ? readProperty(constructor, "name") : undefined;
  return typeof name === "string" && name !== "" && name !== "Object" ? `${name.slice(0, longestText)} ` : "";
}

function textIn(error: Error, key: "name" | "message"): string {
  const value = readProperty(error, key);
  return typeof value === "string" ? value.slice(0, longestText) : "Error";
}
