import { createPatch } from "rfc6902";
import type { EditOperation } from "../../../src/protocol/actions.ts";

/** An edited text as changes to the original value, or why it is invalid. */
export type Edit =
  | { readonly kind: "changes"; readonly operations: readonly EditOperation[] }
  | { readonly kind: "invalid"; readonly message: string };

/** Returns only the differences, so that hidden values and values that differ between chains stay unchanged. */
export function editFrom(before: unknown, text: string): Edit {
  let after: unknown;
  try {
    after = JSON.parse(text);
  } catch (error) {
    return { kind: "invalid", message: error instanceof Error ? error.message : "This is not JSON." };
  }
  const operations = createPatch(before, after).flatMap((operation): readonly EditOperation[] => {
    if (operation.op === "remove") return [{ op: "remove", path: operation.path }];
    if (operation.op === "add" || operation.op === "replace") {
      return [{ op: operation.op, path: operation.path, value: operation.value as unknown }];
    }
    return [];
  });
  return { kind: "changes", operations };
}
