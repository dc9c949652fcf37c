import { measureRow, type Conditions } from "./measure-row.ts";
import { allRows } from "./rows/all.ts";

/** The process of one row: reads what to measure, tells its progress, answers figures or why there are none. */
export type Request = Conditions & { readonly name: string };
export type Message =
  | { readonly progress: string }
  | { readonly figures: Awaited<ReturnType<typeof measureRow>> }
  | { readonly failure: string };

const send = (message: Message): void => void process.send?.(message);

process.once("message", (request: Request) => {
  const row = allRows.find(({ name }) => name === request.name);
  if (row === undefined) throw new Error(`there is no row "${request.name}"`);
  measureRow(row, request, (progress) => send({ progress }))
    .then((figures) => send({ figures }))
    .catch((error: unknown) => send({ failure: error instanceof Error ? error.message : String(error) }))
    .finally(() => process.disconnect());
});
