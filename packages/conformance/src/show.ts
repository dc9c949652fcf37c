const longest = 2_000;
const widest = 100;
const deepest = 8;

/**
 * A value as a reader at a terminal needs it: as JavaScript, on one line if it fits, `undefined` as undefined, and never longer
 * than 2,000 characters.
 */
export function show(value: unknown, indent = 0): string {
  const text = broken(value, indent);
  return text.length > longest ? `${text.slice(0, longest)}... (${text.length} characters)` : text;
}

/** The same without properties that are undefined: requests have many of them. */
export function showBriefly(value: unknown, indent = 0): string {
  return show(defined(value), indent);
}

function defined(value: unknown, depth = 0): unknown {
  if (depth > deepest) return value;
  if (Array.isArray(value)) return value.map((item) => defined(item, depth + 1));
  if (!isPlain(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, defined(item, depth + 1)]));
}

/** On one line, or with one line for each item where that would be too long. */
function broken(value: unknown, indent: number, depth = 0): string {
  const line = inline(value, depth);
  const content = contentOf(value);
  if (line.length + indent <= widest || content === undefined || depth >= deepest) return line;
  const inner = indent + 2;
  const items = content.items.map(([key, item]) => `${" ".repeat(inner)}${key}${broken(item, inner, depth + 1)},\n`);
  return `${content.open}\n${items.join("")}${" ".repeat(indent)}${content.close}`;
}

function inline(value: unknown, depth: number): string {
  const content = contentOf(value);
  if (content === undefined) return single(value);
  const { open, close, items } = content;
  if (items.length === 0) return `${open}${close}`;
  if (depth >= deepest) return `${open}...${close}`;
  const space = open.endsWith("{") ? " " : "";
  return `${open}${space}${items.map(([key, item]) => key + inline(item, depth + 1)).join(", ")}${space}${close}`;
}

interface Content {
  readonly open: string;
  readonly close: string;
  /** With what is before each, such as its key. */
  readonly items: readonly (readonly [before: string, item: unknown])[];
}

/** Undefined: the value contains nothing. */
function contentOf(value: unknown): Content | undefined {
  if (Array.isArray(value)) return { open: "[", close: "]", items: value.map((item) => ["", item]) };
  if (value instanceof Error) {
    const code: unknown = "code" in value ? value.code : undefined;
    const facts = Object.entries({ message: value.message, code, cause: value.cause });
    return { open: `${value.name} {`, close: "}", items: named(facts.filter(([, fact]) => fact !== undefined)) };
  }
  if (value instanceof Map)
    return { open: "Map {", close: "}", items: [...value].map(([key, item]) => [`${single(key)}: `, item]) };
  if (value instanceof Set) return { open: "Set {", close: "}", items: [...value].map((item) => ["", item]) };
  if (isPlain(value)) return { open: "{", close: "}", items: named(Object.entries(value)) };
  return undefined;
}

function named(entries: readonly (readonly [string, unknown])[]): Content["items"] {
  return entries.map(([key, item]) => [`${/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key)}: `, item]);
}

function single(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "bigint":
      return `${value}n`;
    case "function":
      return `(function ${value.name})`;
    case "object":
      return value === null ? "null" : Object.prototype.toString.call(value);
    case "number":
      return Object.is(value, -0) ? "-0" : String(value);
    default:
      return String(value);
  }
}

/** An object that is read by its properties, also one of a class that is not known here. */
function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Error);
}
