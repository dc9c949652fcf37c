import { ending, extrasIn } from "../rows/extras.ts";
import type { Store } from "../store.ts";
import { createEndTriggers } from "./triggers.ts";

/** Gives a chain, by its number, a row of its own in the table of ends. */
export function createMark(store: Store): (chain: number) => void {
  const { tables: t, sql } = store;
  const extras = extrasIn(store);
  const prepareEnds = createEndTriggers(store);
  const add = sql(`insert into ${t.ending} (chain) values (?) on conflict (chain) do nothing`);
  return (chain) => {
    prepareEnds();
    add.run(chain);
    extras.add(chain, ending);
  };
}
