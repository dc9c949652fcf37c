import type { Call } from "../call.ts";
import type { Table } from "../output/output.ts";
import { failureOf } from "../failure.ts";
import { counted } from "../text/numbers.ts";
import type { Account, Refused } from "./perform.ts";

/** The words for a change, such as `retry`, `retried` and `chain`. */
export interface Words {
  readonly verb: string;
  readonly past: string;
  readonly noun: string;
}

const refusedTable: Table<Refused> = {
  columns: [
    { name: "refused", cell: ({ id }) => id, isWhole: true },
    { name: "code", cell: ({ code }) => code, style: () => "yellow" },
    { name: "why", cell: ({ message }) => message, isFlexible: true },
  ],
  json: ({ id, code, message }) => ({ refused: id, code, message }),
};

/** Tells what was done, and returns the exit code. */
export function reportAccount(
  { out }: Call,
  account: Account,
  words: Words,
  { dryRun }: { readonly dryRun?: true | undefined },
): number {
  const { done, also, refused, left, unknown, failure } = account;
  const { past, noun } = words;
  out.rows(refusedTable, refused);
  const parts = [
    `${dryRun === true ? "would be " : ""}${past}: ${counted(done, noun)}`,
    ...(also.length > 0 ? [`and ${counted(also.length, noun)} along with them`] : []),
    ...(refused.length > 0 ? [`refused: ${refused.length}`] : []),
    ...(unknown > 0 ? [`the store failed in a batch of ${unknown}, of which all or none may be done`] : []),
    ...(left > 0 ? [`not tried: ${left}`] : []),
  ];
  out.line(parts.join("; "), {
    [past]: done,
    also,
    refused: refused.length,
    unknown,
    notTried: left,
    dryRun: dryRun === true,
  });
  if (failure !== undefined) out.note(`chainwright: ${failureOf(failure, []).message}`);
  return refused.length + left + unknown > 0 ? 1 : 0;
}
