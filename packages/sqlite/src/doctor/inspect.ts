import type { FaultKind } from "chainwright";
import type { InspectReply, InspectRequest, StoreFault } from "chainwright/adapter";
import type { SqliteValue } from "../driver.ts";
import { valuesOf } from "../result-rows.ts";
import type { Store } from "../store.ts";
import { walksOf } from "./walks.ts";
import type { PagedCheck } from "./walks.ts";

interface FaultRow {
  readonly kind: FaultKind;
  readonly id: string;
  readonly chain: string | null;
  readonly type: string | null;
  readonly worker: string | null;
}

type Inspect = (request: InspectRequest & { readonly check: PagedCheck }, now: number) => InspectReply;

/** One page of a check. It is one read, so it sees one state of the store. */
export function createInspect(store: Store): Inspect {
  const walks = walksOf(store.tables);
  return ({ check, after, limit, heldBeforeMs }, now) => {
    const [given, ...from] = valuesOf(after);
    const place = Number(given ?? 0);
    const walk = walks[check][place];
    if (walk === undefined) return { faults: [], next: undefined, isCut: false };
    const rows = store
      .sql<Record<string, SqliteValue>>(walk.page)
      .all(...(from.length === 0 ? walk.start : from), limit);
    const last = rows.at(-1);
    const next =
      last !== undefined && rows.length === limit
        ? JSON.stringify([place, ...walk.key.map((column) => last[column])])
        : place + 1 < walks[check].length
          ? JSON.stringify([place + 1])
          : undefined;
    const ids = JSON.stringify(rows.map((row) => walk.key.map((column) => row[column])));
    const faults =
      rows.length === 0 ? [] : store.sql<FaultRow>(walk.faults).all(...walk.parameters(ids, now, heldBeforeMs));
    return { faults: faults.map(toFault), next, isCut: false };
  };
}

function toFault({ kind, id, chain, type, worker }: FaultRow): StoreFault {
  return {
    kind,
    id,
    chainId: chain ?? undefined,
    typeName: type ?? undefined,
    workerId: worker ?? undefined,
  };
}
