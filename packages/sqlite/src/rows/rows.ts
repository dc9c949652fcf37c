import { createEndRows } from "../ends/rows.ts";
import { createNoteRows } from "../notes/rows.ts";
import { createSignalRows } from "../signals/rows.ts";
import type { Store } from "../store.ts";
import { createWalked } from "../upkeep/walked.ts";
import { createDeleteChain } from "./delete-chain.ts";
import { createEnds } from "./end.ts";
import { createFinds } from "./find.ts";
import { createInsert } from "./insert.ts";
import type { SqliteRows } from "./job-row.ts";
import { createKeys } from "./keys.ts";
import { createReleases } from "./releases.ts";
import { createReopens } from "./reopen.ts";
import { createReplace } from "./replace.ts";

/** What the rules of chains read and write, as statements of one connection. */
export function createRows(store: Store): SqliteRows {
  const deleteChain = createDeleteChain(store);
  const finds = createFinds(store);
  const walked = createWalked(store);
  return {
    allOrNothing: (run) => store.attempt(run, ({ ok }) => !ok),
    ...finds,
    ...createKeys(store),
    insert: createInsert(store),
    replace: createReplace(store),
    ...createEnds(store, finds.claimNameOf),
    ...createReleases(store),
    ...createReopens(store, finds.claimNameOf),
    ...createSignalRows(store),
    ends: createEndRows(store),
    notes: createNoteRows(store),
    remove: ({ seq }) => {
      deleteChain(seq);
      walked.lower();
    },
  };
}
