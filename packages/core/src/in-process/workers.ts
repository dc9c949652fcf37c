import type { WorkerRow } from "./worker-row.ts";
import type { Store } from "./store.ts";

/** `row` undefined: forgets the worker. */
export function setWorker(store: Store, id: string, row: WorkerRow | undefined): void {
  const before = store.workers.get(id);
  put(store, id, row);
  store.journal?.push(() => {
    put(store, id, before);
  });
}

function put({ workers }: Store, id: string, row: WorkerRow | undefined): void {
  if (row === undefined) workers.delete(id);
  else workers.set(id, row);
}
