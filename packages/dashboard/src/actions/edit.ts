import { Refusal } from "../http/refusal.ts";
import type { EditOperation } from "../protocol/actions.ts";

type Container = Record<string, unknown> | unknown[];

/**
 * Returns a changed copy of an input. The operations are those of JSON Patch without the ones that read: `copy` could move a value
 * that `redact` hides to a place where it is shown. Only own properties are followed.
 */
export function edited(input: unknown, operations: readonly EditOperation[]): unknown {
  return operations.reduce<unknown>(applied, structuredClone(input));
}

function applied(root: unknown, operation: EditOperation): unknown {
  const keys = operation.path.split("/").slice(1).map(unescaped);
  const last = keys.pop();
  if (last === undefined) {
    if (operation.op === "remove") throw cannot(operation);
    return structuredClone(operation.value);
  }
  const parent = keys.reduce<unknown>((value, key) => memberOf(value, key, operation), root);
  if (Array.isArray(parent)) changeList(parent, last, operation);
  else if (isContainer(parent)) changeObject(parent, last, operation);
  else throw cannot(operation);
  return root;
}

function memberOf(value: unknown, key: string, operation: EditOperation): unknown {
  if (isContainer(value) && Object.hasOwn(value, key) && (!Array.isArray(value) || isIndex(key))) {
    // Reads the own property, because `__proto__` may be one.
    return Object.getOwnPropertyDescriptor(value, key)?.value;
  }
  throw cannot(operation);
}

function changeList(list: unknown[], key: string, operation: EditOperation): void {
  const index = key === "-" && operation.op === "add" ? list.length : isIndex(key) ? Number(key) : Infinity;
  if (index > (operation.op === "add" ? list.length : list.length - 1)) throw cannot(operation);
  if (operation.op === "remove") list.splice(index, 1);
  else list.splice(index, operation.op === "add" ? 0 : 1, structuredClone(operation.value));
}

function changeObject(object: object, key: string, operation: EditOperation): void {
  if (operation.op !== "add" && !Object.hasOwn(object, key)) throw cannot(operation);
  if (operation.op === "remove") {
    Reflect.deleteProperty(object, key);
    return;
  }
  const value = structuredClone(operation.value);
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

function isIndex(key: string): boolean {
  return /^(0|[1-9]\d{0,8})$/.test(key);
}

function unescaped(key: string): string {
  return key.replaceAll("~1", "/").replaceAll("~0", "~");
}

function cannot({ op, path }: EditOperation): Refusal {
  return new Refusal(400, "invalid-input", `The input has nothing at ${JSON.stringify(path)} to ${op}.`);
}
