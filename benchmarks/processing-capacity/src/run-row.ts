import { answerParent } from "@chainwright/bench-measuring";
import { measureRow, type Conditions } from "./measure-row.ts";
import { allRows } from "./rows/all.ts";

/** The orders for the process of one row. */
export type Request = Conditions & { readonly name: string };

answerParent(async (asked, progress) => {
  const request = asked as Request;
  const row = allRows.find(({ name }) => name === request.name);
  if (row === undefined) throw new Error(`there is no row "${request.name}"`);
  return await measureRow(row, request, progress);
});
