import type { FaultKind } from "../model/fault.ts";
import type { StoreFault } from "../ports/doctor.ts";

interface FaultText {
  readonly problem: (fault: StoreFault) => string;
  /** What a repair does; undefined: there is none that is safe. */
  readonly repair: string | undefined;
  /** What to do by hand. */
  readonly manual: string;
}

const lookAtBackup = "restore it from a backup, or leave it to the repair";

const texts: Readonly<Record<FaultKind, FaultText>> = {
  "job-without-chain": {
    problem: ({ id }) => `chain ${id} has jobs but no first job: no call can reach them, but they may run.`,
    repair: "deletes these jobs",
    manual: lookAtBackup,
  },
  "open-job-without-job": {
    problem: ({ id }) => `job ${id} is in the queue, but it does not exist or has ended.`,
    repair: "removes it from the queue",
    manual: lookAtBackup,
  },
  "chain-without-open-job": {
    problem: ({ id }) => `chain ${id} is active, but its open job is not in the queue: no worker will ever claim it.`,
    repair: "puts the job back into the queue; its attempts are counted from 1 again",
    manual: "cancel or delete the chain",
  },
  "chain-not-ended": {
    problem: ({ id }) => `chain ${id} is active, but its last job has ended: nothing will ever continue it.`,
    repair: undefined,
    manual: "delete the chain, and start it again if it is still needed",
  },
  "note-without-job": {
    problem: ({ id }) => `something was noted about job ${id}, which does not exist.`,
    repair: "deletes what was noted",
    manual: lookAtBackup,
  },
  "lease-of-no-one": {
    problem: ({ id, workerId }) =>
      `job ${id} is held by worker ${workerId ?? "unknown"}, which has sent no heartbeat for a while.`,
    repair: "makes the job ready; if the worker is still alive, its attempt is refused",
    manual: "wait until the lease has run out",
  },
  "place-without-job": {
    problem: ({ id }) =>
      id.startsWith("[")
        ? `the limit and key ${id} count more places as taken than jobs hold: other jobs wait for them.`
        : `job ${id} holds a place of a limit, but it does not run: other jobs wait for the place.`,
    repair: "frees the place",
    manual: "raise the limit with changeLimit",
  },
  "job-without-place": {
    problem: ({ id }) =>
      id.startsWith("[")
        ? `the limit and key ${id} count fewer places as taken than jobs hold: more jobs may run than they allow.`
        : `job ${id} runs without a place of its limits: more jobs may run than they allow.`,
    repair: "gives it the place, above the limit if all are taken",
    manual: "wait until the job has ended",
  },
  "blocker-without-job": {
    problem: ({ id, chainId }) => `job ${id}, which does not exist, waits for chain ${chainId ?? "unknown"}.`,
    repair: "deletes the entry",
    manual: lookAtBackup,
  },
  "blocker-without-chain": {
    problem: ({ id, chainId }) => `job ${id} waits for chain ${chainId ?? "unknown"}, which does not exist.`,
    repair: undefined,
    manual: "cancel or delete the job's chain, or complete its step with completeChain",
  },
  "stopped-without-job": {
    problem: ({ id }) => `job ${id} is recorded as failed or cancelled, but it is not.`,
    repair: "deletes the note",
    manual: lookAtBackup,
  },
  "missed-release": {
    problem: ({ id }) => `job ${id} is blocked by another number of chains than it waits for.`,
    repair: "counts them again; the job becomes ready if it waits for none",
    manual: "complete its step with completeChain, or cancel its chain",
  },
  "missed-failure": {
    problem: ({ id, chainId }) =>
      `job ${id} waits for chain ${chainId ?? "unknown"}, which has failed, but the job did not fail with it.`,
    repair: "fails the job, as the end of the chain should have done",
    manual: "cancel its chain",
  },
  "stale-key": {
    problem: ({ id, chainId }) =>
      `the deduplication key ${id} is held by chain ${chainId ?? "unknown"}, which has ended or does not exist.`,
    repair: "frees the key",
    manual: "retry or delete the chain",
  },
  "stale-tag": {
    problem: ({ id, chainId }) =>
      `the tag ${id} leads to chain ${chainId ?? "unknown"}, which does not exist or does not have it.`,
    repair: "deletes the entry",
    manual: lookAtBackup,
  },
  "wrong-count": {
    problem: ({ typeName, id, counted, actual }) =>
      `the store counts ${counted ?? 0} jobs of ${JSON.stringify(typeName)} as ${id}; there are ${actual ?? 0}.`,
    repair: "corrects the count",
    manual: "nothing else depends on it",
  },
  "changed-function": {
    problem: ({ id }) => `the function ${id} of the schema is not the one that this version installs.`,
    repair: "installs it again, for a role that may create functions",
    manual: "find out who changed it",
  },
};

export function problemOf(fault: StoreFault): string {
  return texts[fault.kind].problem(fault);
}

/** Undefined: there is no repair that is safe. */
export function repairOf({ kind }: StoreFault): string | undefined {
  return texts[kind].repair;
}

export function manualOf({ kind }: StoreFault): string {
  return texts[kind].manual;
}
