import type { Chain } from "chainwright";
import type { Context } from "../context.ts";
import { storedPayloadView } from "../views.ts";

/**
 * Whether the input of a chain has a value at a path, as `customer.id=42` or `items[0].sku=A-1`. What is compared is what the reader is
 * shown: a hidden value is not found, and neither is one in an input that is too large to be shown in a list.
 */
export function hasInput({ redaction, mostInlineBytes }: Context, chain: Chain, condition: string): boolean {
  const end = condition.indexOf("=");
  const where = { part: "input", typeName: chain.typeName, chainId: chain.id } as const;
  const payload = storedPayloadView(chain, where, { redaction, mostBytes: mostInlineBytes });
  if (payload.kind !== "value") return false;
  const found = valueAt(payload.value, condition.slice(0, end));
  return isScalar(found) && String(found) === condition.slice(end + 1);
}

function valueAt(payload: unknown, path: string): unknown {
  const keys = path.match(/[^.[\]]+/g) ?? [];
  return (keys[0] === "$" ? keys.slice(1) : keys).reduce(propertyOf, payload);
}

function propertyOf(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return Reflect.get(value, key);
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}
