import type { Call } from "./call.ts";

/** Tells that something was changed, or would be. */
export function tell(
  { out }: Call,
  past: string,
  names: readonly string[],
  { dryRun }: { readonly dryRun?: true | undefined },
): void {
  out.line(`${dryRun === true ? "would be " : ""}${past}: ${names.join(", ")}`, {
    [past]: names,
    dryRun: dryRun === true,
  });
}
