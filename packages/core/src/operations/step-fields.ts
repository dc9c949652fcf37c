import { checkInteger, checkPool } from "../checks/check-options.ts";

const priorityRange = { min: -32_768, max: 32_767 };

/** The priority of a job, which inherits one that it does not set. */
export function priorityOf({ priority }: { readonly priority?: number | undefined }, inherited: number): number {
  return priority === undefined ? inherited : checkInteger(priority, "priority", priorityRange);
}

/** The pool of a job, which inherits one that it does not set; null: none. */
export function poolOf(
  { pool }: { readonly pool?: string | null | undefined },
  inherited: string | undefined,
): string | undefined {
  if (pool === undefined) return inherited;
  return pool === null ? undefined : checkPool(pool);
}
