import { blockerFailureErrors } from "chainwright/adapter";
import { wholeMs } from "../rows.ts";
import { literal } from "../schema.ts";

/** An expression for the errors that {@link blockerFailureErrors} writes, from a row with `chain_id`, `type_name` and `chain_status`. */
export function failureErrors(cause: string, at: string): string {
  const [chainId, typeName, moment] = ["\u{1}chain", "\u{1}type", -1];
  const template = (status: "failed" | "cancelled") =>
    literal(blockerFailureErrors({ chainId, typeName, status, at: moment }));
  const escape = (text: string) => literal(JSON.stringify(text).slice(1, -1));
  // The type's name comes last, because it may contain the placeholders of the others.
  return `replace(replace(replace(case ${cause}.chain_status when 2 then ${template("failed")} else ${template("cancelled")} end,
        ${literal(String(moment))}, ${wholeMs(at)}::text), ${escape(chainId)}, ${cause}.chain_id::text),
        ${escape(typeName)}, substr(to_json(${cause}.type_name)::text, 2, length(to_json(${cause}.type_name)::text) - 2))`;
}
