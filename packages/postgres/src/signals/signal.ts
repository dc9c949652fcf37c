import { resultColumns, resultRow } from "../result-rows.ts";
import type { Schema } from "../schema.ts";
import { guard, now, outerFunction, refusalState } from "../sql-function.ts";
import { overtakenState } from "./deliver.ts";

/** Rule "signal": hands signals to chains and topics. All or nothing. */
export function signalFunction(schema: Schema): string {
  const { quoted: s } = schema;
  return outerFunction(schema, {
    name: "signal_v1",
    parameters: "p_alone text, p_now text, p_items text",
    returns: `table(${resultColumns})`,
    declare: `  v_now double precision := ${now};
  v_refusal text;`,
    body: `${guard}
  loop
    begin
      return query select * from ${s}.deliver_v1(v_now, p_items::json, false);
      exit;
    exception
      when sqlstate '${overtakenState}' then null;
      when sqlstate '${refusalState}' then
        get stacked diagnostics v_refusal = pg_exception_detail;
        return query select ${resultRow("refused", { n: "null", refusal: "v_refusal" })};
        exit;
    end;
  end loop;`,
  });
}
