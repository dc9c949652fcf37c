import type { Compensation, EndRows } from "chainwright/adapter";
import type { Data, Job } from "./data.ts";
import type { Ends } from "./end-data.ts";
import { chainStatusOf, chainWith, chainsOf, followedBy, lastJobOf, statusAt } from "./jobs.ts";

const none: Pick<Ends, "compensations" | "followUps"> = { compensations: [], followUps: [] };
const startOfEnds: Ends = { ...none, whenStopped: undefined, deadlineAt: undefined, held: undefined };

export function createEnds(data: Data): EndRows<Job, Job> {
  return { ...readsOf(data), ...writesOf(data) };
}

type Writes = "record" | "pass" | "forget" | "dropDeadline" | "hold" | "link" | "unlink";

function readsOf(data: Data): Omit<EndRows<Job, Job>, Writes> {
  const deadlines = () =>
    [...data.jobs.values()]
      .flatMap((chain) => ({ chain, at: chain.chain?.ends?.deadlineAt ?? Infinity }))
      .filter(({ at }) => at < Infinity)
      .toSorted((a, b) => a.at - b.at);
  return {
    of: ({ chain }) => chain?.ends,
    compensationsOf: ({ chain }) => inOrder(chain?.ends),
    followUpsOf: ({ chain }) =>
      (chain?.ends ?? none).followUps.map(({ chainId, kind }) => ({ chainId, kind, row: followUp(data, chainId) })),
    followedBy: (chain) => followedBy(data, chain),
    entryOf: ({ typeName, input, version }) => ({ typeName, input, version }),
    stopOf(first) {
      const { id: jobId, typeName, errors } = lastJobOf(data, first);
      const { input, createdAt: startedAt, chain } = first;
      const facts = { input, startedAt, step: { jobId, typeName }, errors, reason: chain?.reason };
      return { ...facts, status: chainStatusOf(data, first) };
    },
    attemptOf(job, now) {
      const { id: jobId, fence, lease } = job;
      if (lease === undefined || statusAt(job, now) !== "running") return undefined;
      return { attempt: { jobId, workerId: lease.workerId, fence }, until: lease.until };
    },
    startedFor: ({ id }) => [...data.jobs.values()].find(({ blocking }) => blocking?.ownIds.includes(id)),
    ownBlockersOf: ({ blocking }) => chainsOf(data, blocking?.ownIds ?? []).filter((chain) => isActive(data, chain)),
    overdue: (now, limit) =>
      deadlines()
        .filter(({ at }) => at <= now)
        .slice(0, limit)
        .map(({ chain }) => chain),
    nextDeadlineAt: () => deadlines()[0]?.at,
  };
}

function writesOf(data: Data): Pick<EndRows<Job, Job>, Writes> {
  return {
    record({ chainId, step }, compensation) {
      change(chainWith(data, chainId), ({ compensations }) => ({
        compensations: [
          ...compensations.filter((other) => other.step !== step || !other.isOwn),
          { step, isOwn: true, compensation },
        ],
      }));
    },
    pass(chain, { chainId, step }) {
      const passed = inOrder(chain.chain?.ends).map((compensation) => ({ step, isOwn: false, compensation }));
      change(chainWith(data, chainId), ({ compensations }) => ({ compensations: [...compensations, ...passed] }));
    },
    forget: (chain) => change(chain, () => ({ compensations: [] })),
    dropDeadline: (chain) => change(chain, () => ({ deadlineAt: undefined })),
    hold: (chain, held) => change(chain, () => ({ held })),
    link(chain, next, kind) {
      change(chain, ({ followUps }) => ({ followUps: [...followUps, { chainId: next.id, kind }] }));
      const first = chainWith(data, next.id);
      if (first?.chain !== undefined) first.chain = { ...first.chain, follows: chain.id };
    },
    unlink: (chain) => change(chain, () => ({ followUps: [] })),
  };
}

/** With the first job of a chain. */
export function endsAtStart(whenStopped: Ends["whenStopped"], deadlineAt: Ends["deadlineAt"]): Ends | undefined {
  return whenStopped === undefined && deadlineAt === undefined
    ? undefined
    : { ...startOfEnds, whenStopped, deadlineAt };
}

function change(first: Job | undefined, changes: (ends: Ends) => Partial<Ends>): void {
  if (first?.chain === undefined) return;
  const ends = first.chain.ends ?? startOfEnds;
  first.chain = { ...first.chain, ends: { ...ends, ...changes(ends) } };
}

function followUp(data: Data, chainId: string) {
  const chain = chainWith(data, chainId);
  return chain && { chain, job: lastJobOf(data, chain), isClaimed: chain.fence > 0 || chain.nextId !== undefined };
}

function isActive(data: Data, chain: Job): boolean {
  return chainStatusOf(data, chain) === "active";
}

function inOrder(ends: Ends | undefined): readonly Compensation[] {
  return (ends ?? none).compensations
    .toSorted((a, b) => a.step - b.step || Number(a.isOwn) - Number(b.isOwn))
    .map(({ compensation }) => compensation);
}
