import type {
  CallOptions,
  ChainRecord,
  ClaimType,
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
import { failureOf, only, present } from "../check.ts";
import type { UserTable } from "./backend.ts";
import type { Planting } from "./planting.ts";
import { completed } from "./build.ts";

/** A job that is leased to a worker of the case. */
export interface Held extends Omit<ClaimedJob, "fence"> {
  readonly fence: Fence;
}

export interface ClaimDetails {
  readonly workerId?: string;
  readonly limit?: number;
  readonly leaseMs?: number;
  readonly tx?: unknown;
  /** Only jobs of this version and this pool. Left out: 1, and those without a pool. */
  readonly version?: number;
  readonly pool?: string;
  /** The most jobs of a type, which then do not count for `limit`. */
  readonly limits?: Readonly<Record<string, number>>;
  /** Whether it looks for jobs under limits, and the most of them that it returns. */
  readonly limited?: boolean;
  readonly startable?: number;
  /** Whether it also cancels chains whose deadline has passed. */
  readonly deadlines?: boolean;
}

/** What a case works with: a store, a clock that only the case moves, and short forms of common calls. */
export interface StateFixture {
  readonly store: StateAdapter;
  /** Milliseconds since 1970, given to every call. */
  readonly now: () => number;
  readonly advance: (ms: number) => void;
  /** Another connection to the same store, under the same clock. */
  readonly connect: () => Promise<StateFixture>;
  /** Another store, under the same clock. */
  readonly elsewhere: () => Promise<StateFixture>;
  readonly userTable: () => UserTable;
  readonly planting: () => Planting;

  readonly options: (tx?: unknown) => CallOptions<unknown>;
  /** Runs a transaction again while it loses races, as the engine does. */
  readonly transact: <T>(run: (tx: unknown) => Promise<T>) => Promise<T>;
  /** Calls again while the call loses races, as the engine does. */
  readonly insist: <T>(call: () => Promise<T>) => Promise<T>;

  /** Starts chains in one call, which must be accepted. */
  readonly start: (starts: readonly JobStart[], tx?: unknown) => Promise<readonly StartReply[]>;
  readonly startOne: (start: JobStart, tx?: unknown) => Promise<StartReply>;
  /** Claims the ready jobs of these types. */
  readonly claim: (typeNames: readonly string[], details?: ClaimDetails) => Promise<readonly Held[]>;
  readonly claimOne: (typeName: string, details?: ClaimDetails) => Promise<Held>;
  /** Returns the whole reply of an exchange that claims. */
  readonly look: (typeNames: readonly string[], details?: ClaimDetails) => Promise<ExchangeReply>;
  readonly settle: (outcome: Outcome, tx?: unknown) => Promise<SettleReply>;
  /** Settles an outcome that must be accepted. */
  readonly settled: (outcome: Outcome, tx?: unknown) => Promise<Settled>;
  /** Starts a chain of this type and completes it. */
  readonly completedChain: (start: JobStart, output?: string) => Promise<StartReply>;
  readonly chain: (id: string) => Promise<ChainRecord>;
  readonly job: (id: string) => Promise<JobRecord>;
}

/** 2023-11-14: a moment that is neither round nor near the real time. */
export const beginning = 1_700_000_000_123;
const workerId = "worker-1";
const leaseMs = 30_000;
const mostRuns = 100;

interface StateFixtureOptions {
  readonly store: StateAdapter;
  readonly connect: () => Promise<StateAdapter>;
  readonly elsewhere: () => Promise<StateAdapter>;
  readonly userTable: UserTable | undefined;
  readonly planting: Planting | undefined;
  readonly clock: { now: number };
}

export function createStateFixture(fixtureOptions: StateFixtureOptions): StateFixture {
  const { store, connect, elsewhere, userTable, planting, clock } = fixtureOptions;
  const { options, insist, start, look, claim, settle } = createCalls(store, clock);
  const settled = async (outcome: Outcome, tx?: unknown) => taken("the outcome settles", await settle(outcome, tx));
  const startOne = async (jobStart: JobStart, tx?: unknown) =>
    only("one start, one chain", await start([jobStart], tx));

  return {
    store,
    now: () => clock.now,
    advance: (ms) => {
      clock.now += ms;
    },
    connect: async () => createStateFixture({ ...fixtureOptions, store: await connect() }),
    elsewhere: async () => createStateFixture({ ...fixtureOptions, store: await elsewhere() }),
    userTable: () => present("createAdapter returns a userTable, or `without` must say why not", userTable),
    planting: () => present("createAdapter returns a planting, or `without` must say why not", planting),
    options,
    transact: (run) => insist(() => store.transaction(run)),
    insist,
    start,
    startOne,
    claim,
    claimOne: async (typeName, details) =>
      only(`one job of ${typeName} is claimed`, await claim([typeName], { ...details, limit: 1 })),
    look,
    settle,
    settled,
    completedChain: async (jobStart, output) => {
      const chain = await startOne(jobStart);
      await settled(completed({ chainId: chain.id, typeName: jobStart.typeName }, output));
      return chain;
    },
    chain: async (id) => present(`chain ${id} exists`, (await store.getChains([id], options()))[0]),
    job: async (id) => present(`job ${id} exists`, (await store.getJobs([id], options()))[0]),
  };
}

/** The calls of a store at the time of the case. */
function createCalls(store: StateAdapter, clock: { readonly now: number }) {
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
          types: typeNames.map((typeName) => claimTypeOf(typeName, details)),
          limit: details.limit ?? 100,
          startable: details.startable,
          limited: details.limited,
          deadlines: details.deadlines,
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

  return { options, insist, start, look, claim, settle };
}

function claimTypeOf(typeName: string, details: ClaimDetails): ClaimType {
  const { leaseMs: ms = leaseMs, version, pool, limits } = details;
  return { typeName, leaseMs: ms, version, pool, limit: limits?.[typeName] };
}

function held(job: ClaimedJob, by: string): Held {
  return { ...job, fence: { jobId: job.id, workerId: by, fence: job.fence } };
}

/** Returns the value of a reply that must be accepted. */
export function accepted<T>(rule: string, reply: Reply<T>): T {
  if (!reply.ok) throw failureOf(rule, { wanted: "accepted: { ok: true, value }", actual: reply });
  return reply.value;
}

/** Returns the refusal of a reply that must be refused. */
export function refused(rule: string, reply: Reply<unknown>): Refusal {
  if (reply.ok) throw failureOf(rule, { wanted: "refused: { ok: false, refusal }", actual: reply });
  return reply.refusal;
}

/** Returns the consequences of an outcome that must settle. */
export function taken(rule: string, reply: SettleReply): Settled {
  if (reply.status !== "settled") throw failureOf(rule, { wanted: '{ status: "settled", ... }', actual: reply });
  return reply;
}
