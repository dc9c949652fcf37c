import type { CallOptions, InspectReply, InspectRequest, StoreFault } from "chainwright/adapter";
import type { Connection } from "../connect.ts";
import type { PostgresRow } from "../driver.ts";
import { differingFunctions } from "../installed-functions.ts";
import { faultOf, momentOf } from "../rows.ts";
import { momentParameter } from "../store.ts";
import { compareCounts } from "./counts.ts";
import { scansOf, type PagedCheck } from "./pages.ts";
import type { Scan } from "./scan.ts";

/** One page of a check. */
export async function inspect<Tx>(
  store: Connection<Tx>,
  request: InspectRequest,
  options: CallOptions<Tx>,
): Promise<InspectReply> {
  const { check } = request;
  if (check === "counts") return compareCounts(store, request.timeMs);
  if (check === "schema") return whole(await changedFunctions(store));
  const [place = "0", cursor] = request.after?.split(/ (.*)/s) ?? [];
  const scans = scansOf(store.schema.quoted)[check satisfies PagedCheck];
  const scan = scans[Number(place)];
  if (scan === undefined) return whole([]);
  const rows = await pageOf(store, scan, { ...request, cursor: cursor ?? null, options });
  const last = rows.find(([kind]) => kind === null);
  const next = last === undefined ? nextScan(scans, Number(place)) : `${place} ${String(last[1])}`;
  return { faults: rows.filter((row) => row !== last).map(faultOf), next, isCut: false };
}

function nextScan(scans: readonly Scan[], place: number): string | undefined {
  return place + 1 < scans.length ? String(place + 1) : undefined;
}

interface Page<Tx> extends InspectRequest {
  readonly cursor: string | null;
  readonly options: CallOptions<Tx>;
}

/** The faults of a page, and if it is full a row without a kind that has the last cursor. */
async function pageOf<Tx>(
  { run }: Connection<Tx>,
  { page, cursor: cursorOf, faults }: Scan,
  { cursor, limit, heldBeforeMs, options }: Page<Tx>,
): Promise<readonly PostgresRow[]> {
  const [moment] = await run(undefined, {
    text: `select (${momentOf("$1")})::bigint`,
    parameters: [momentParameter(options.now)],
    prepare: false,
  });
  const text = `with page as materialized (${page}),
given as (select $1::text as moment, $4::text as held_before),
faults as (${faults})
select f.* from faults f
union all
select null, max_cursor.cursor, null, null, null
from (select ${cursorOf} as cursor, row_number() over () as nth from page p) max_cursor, given
where max_cursor.nth = $3::text::bigint`;
  const parameters = [String(moment?.[0]), cursor, String(limit), String(heldBeforeMs)];
  return run(undefined, { text, parameters, prepare: false });
}

/** A newer version of the library may have installed other bodies. */
async function changedFunctions<Tx>({ run, schema, schemaState }: Connection<Tx>): Promise<StoreFault[]> {
  const { version, newest } = await schemaState();
  if (version > newest) return [];
  const names = await differingFunctions(
    (text, parameter) => run(undefined, { text, parameters: [parameter], prepare: false }),
    schema,
  );
  return names.map((id) => ({ kind: "changed-function", id }));
}

function whole(faults: readonly StoreFault[]): InspectReply {
  return { faults, next: undefined, isCut: false };
}
