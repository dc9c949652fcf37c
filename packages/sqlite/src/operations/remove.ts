import type { Refusal, RemoveReply, RemoveRequest, Reply } from "chainwright/adapter";
import type { Store } from "../store.ts";
import { createDeleteChain } from "./delete-chain.ts";
import { createFindJob } from "./find-job.ts";
import { createWalked } from "./walked.ts";

interface Dependent {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
}

type Removed = Omit<RemoveReply, "interrupted">;

/** The most references that a refusal lists. */
const mostReferences = 100;

export function createRemove(store: Store): (request: RemoveRequest) => Reply<readonly RemoveReply[]> {
  const { tables: t } = store;
  const findJob = createFindJob(store);
  const deleteChain = createDeleteChain(store);
  const walked = createWalked(store);
  const dependents = store.sql<Dependent>(
    `select distinct c.seq, c.id, c.type
     from ${t.blocker} b join ${t.job} j on j.seq = b.job join ${t.job} c on c.seq = coalesce(j.chain, j.seq)
     where b.chain = ? and j.status <> 'completed' order by c.id`,
  );

  /** The first chain that others wait for, and those: the refusal is about that one. */
  const referencesTo = (chains: ReadonlyMap<number, Removed>): Refusal | undefined => {
    for (const [seq, { chainId: id }] of chains) {
      const references = dependents.all(seq).filter((dependent) => !chains.has(dependent.seq));
      if (references.length === 0) continue;
      return { code: "chain-referenced", id, references: references.slice(0, mostReferences).map((each) => each.id) };
    }
    return undefined;
  };

  const addDependents = (chains: Map<number, Removed>): void => {
    // A map answers what is added to it while it is walked.
    for (const seq of chains.keys()) {
      for (const { seq: dependent, id, type } of dependents.all(seq)) {
        if (!chains.has(dependent)) chains.set(dependent, { chainId: id, typeName: type });
      }
    }
  };

  return ({ chainIds, cascade }) => {
    const chains = new Map<number, Removed>();
    for (const id of chainIds) {
      const chain = findJob.chain(id);
      if (chain === undefined) return { ok: false, refusal: { code: "chain-not-found", id } };
      chains.set(chain.seq, { chainId: id, typeName: chain.type });
    }
    if (cascade) addDependents(chains);
    const refusal = cascade ? undefined : referencesTo(chains);
    if (refusal !== undefined) return { ok: false, refusal };
    const value = Array.from(chains, ([seq, chain]) => ({ ...chain, interrupted: deleteChain(seq) }));
    walked.lower();
    return { ok: true, value };
  };
}
