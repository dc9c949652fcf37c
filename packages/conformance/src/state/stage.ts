import type {
  CallOptions,
  ChainRecord,
  ClaimedJob,
  ExchangeReply,
  Fence,
  JobRecord,
  JobStart,
  Outcome,
  Refusal,
  Reply,
  Settled,
  SettleReply,
  StartReply,
  StateAdapter,
} from "chainwright/adapter";
import { ConformanceFailure, only, present } from "../check.ts";
import type { UserTable } from "./backend.ts";
import type { Planting } from "./planting.ts";
import { completed } from "./build.ts";

/** A job that a worker of the case holds. */
export interface Held extends Omit<ClaimedJob, "fence"> {
  readonly fence: Fence;
}

interface ClaimDetails {
  readonly workerId?: string;
  readonly limit?: number;
  readonly leaseMs?: number;
  readonly tx?: unknown;
}

/** Where a case plays: a store, a clock that only the case moves, and short words for common calls. */
export interface Stage {
  readonly store: StateAdapter;
  /** Milliseconds since 1970, given to every call. */
  readonly now: () => number;
  readonly advance: (ms: number) => void;
  /** Another connection to the same store, under the same clock. */
  readonly connect: () => Promise<Stage>;
  /** Another store, under the same clock. */
  readonly elsewhere: () => Promise<Stage>;
  readonly userTable: () => UserTable;
  readonly planting: () => Planting;

  readonly options: (tx?: unknown) => CallOptions<unknown>;
  /** Runs a transaction again while it loses races, as the engine does. */
  readonly transact: <T>(run: (tx: unknown) => Promise<T>) => Promise<T>;
  /** Calls again while the call loses races, as the engine does. */
  readonly insist: <T>(call: () => Promise<T>) => Promise<T>;

  /** Starts chains in one call, which has to be accepted. */
  readonly start: (starts: readonly JobStart[], tx?: unknown) => Promise<readonly StartReply[]>;
  readonly startOne: (start: JobStart, tx?: unknown) => Promise<StartReply>;
  /** Claims what is there of these types. */
  readonly claim: (typeNames: readonly string[], details?: ClaimDetails) => Promise<readonly Held[]>;
  readonly claimOne: (typeName: string, details?: ClaimDetails) => Promise<Held>;
  /** Claims nothing is there to claim: answers the whole reply of an exchange that claims. */
  readonly look: (typeNames: readonly string[], details?: ClaimDetails) => Promise<ExchangeReply>;
  readonly settle: (outcome: Outcome, tx?: unknown) => Promise<SettleReply>;
  /** Settles an outcome that has to be taken. */
  readonly settled: (outcome: Outcome, tx?: unknown) => Promise<Settled>;
  /** Starts a chain of this type and completes it. */
  readonly completedChain: (start: JobStart, output?: string) => Promise<StartReply>;
  readonly chain: (id: string) => Promise<ChainRecord>;
  readonly job: (id: string) => Promise<JobRecord>;
}

/** 2023-11-14: a moment that is neither round nor near the real one. */
export const beginning = 1_700_000_000_123;
const workerId = "worker-1";
const leaseMs = 30_000;
const mostRuns = 100;

interface StageOptions {
  readonly store: StateAdapter;
  readonly connect: () => Promise<StateAdapter>;
  readonly elsewhere: () => Promise<StateAdapter>;
  readonly userTable: UserTable | undefined;
  readonly planting: Planting | undefined;
  readonly clock: { now: number };
}

export function createStage(stageOptions: StageOptions): Stage {
  const { store, connect, elsewhere, userTable, planting, clock } = stageOptions;
  const options = (tx?: unknown): CallOptions<unknown> => ({ now: clock.now, tx });

  const insist = async <T>(call: () => Promise<T>): Promise<T> => {
    for (let run = 1; ; run += 1) {
      try {
        return await call();
      } catch (error) {
        if (run >= mostRuns || !store.isConflict(error)) throw error;
      }
    }
  };

  const start = async (starts: readonly JobStart[], tx?: unknown) =>
    accepted("the start is accepted", only("one reply a call", await store.start([{ starts }], options(tx))));

  const look = (typeNames: readonly string[], details: ClaimDetails = {}) =>
    store.exchange(
      {
        outcomes: [],
        claim: {
          workerId: details.workerId ?? workerId,
          types: typeNames.map((typeName) => ({ typeName, leaseMs: details.leaseMs ?? leaseMs })),
          limit: details.limit ?? 100,
        },
      },
      options(details.tx),
    );

  const claim = async (typeNames: readonly string[], details: ClaimDetails = {}) => {
    const reply = await look(typeNames, details);
    return reply.claimed.map((job) => held(job, details.workerId ?? workerId));
  };

  const settle = async (outcome: Outcome, tx?: unknown) =>
    only("one reply an outcome", await store.settle([outcome], options(tx)));

  const settled = async (outcome: Outcome, tx?: unknown) => taken("the outcome settles", await settle(outcome, tx));

  const claimOne = async (typeName: string, details: ClaimDetails = {}) =>
    only(`one job of ${typeName} is claimed`, await claim([typeName], { ...details, limit: 1 }));

  const startOne = async (jobStart: JobStart, tx?: unknown) =>
    only("one start, one chain", await start([jobStart], tx));

  return {
    store,
    now: () => clock.now,
    advance: (ms) => {
      clock.now += ms;
    },
    connect: async () => createStage({ ...stageOptions, store: await connect() }),
    elsewhere: async () => createStage({ ...stageOptions, store: await elsewhere() }),
    userTable: () => present("createAdapter gives a userTable, or `without` says why not", userTable),
    planting: () => present("createAdapter gives a planting, or `without` says why not", planting),
    options,
    transact: (run) => insist(() => store.transaction(run)),
    insist,
    start,
    startOne,
    claim,
    claimOne,
    look,
    settle,
    settled,
    completedChain: async (jobStart, output) => {
      const chain = await startOne(jobStart);
      await settled(completed({ chainId: chain.id, typeName: jobStart.typeName }, output));
      return chain;
    },
    chain: async (id) => present(`chain ${id} is there`, (await store.getChains([id], options()))[0]),
    job: async (id) => present(`job ${id} is there`, (await store.getJobs([id], options()))[0]),
  };
}

function held(job: ClaimedJob, by: string): Held {
  return { ...job, fence: { jobId: job.id, workerId: by, fence: job.fence } };
}

/** The value of a reply that has to be accepted. */
export function accepted<T>(rule: string, reply: Reply<T>): T {
  if (!reply.ok) throw new ConformanceFailure(rule, { expected: "accepted", actual: reply });
  return reply.value;
}

/** The refusal of a reply that has to be refused. */
export function refused(rule: string, reply: Reply<unknown>): Refusal {
  if (reply.ok) throw new ConformanceFailure(rule, { expected: "refused", actual: reply });
  return reply.refusal;
}

/** The consequences of an outcome that has to settle. */
export function taken(rule: string, reply: SettleReply): Settled {
  if (reply.status !== "settled") throw new ConformanceFailure(rule, { expected: "settled", actual: reply });
  return reply;
}
