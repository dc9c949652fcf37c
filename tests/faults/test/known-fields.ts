import type { StateAdapter } from "chainwright";

/** Fields of replies that the last release does not have, and with which its suite would not find a reply as it should be. */
const newFields: ReadonlySet<string> = new Set(["version", "outputVersion", "pool"]);

/** The same adapter, whose replies have only fields that the last release knows. */
export function withoutNewFields<Tx>(adapter: StateAdapter<Tx>): StateAdapter<Tx> {
  const methods = Object.entries(adapter).map(([name, method]: [string, unknown]): [string, unknown] => [
    name,
    typeof method === "function"
      ? (...args: readonly unknown[]) => known((method as (...given: readonly unknown[]) => unknown)(...args))
      : method,
  ]);
  return Object.fromEntries(methods) as unknown as StateAdapter<Tx>;
}

function known(value: unknown): unknown {
  if (value instanceof Promise) return value.then(known);
  if (Array.isArray(value)) return value.map(known);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]: [string, unknown]) =>
      newFields.has(name) ? [] : [[name, known(field)]],
    ),
  );
}
