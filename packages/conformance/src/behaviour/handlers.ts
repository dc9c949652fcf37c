import {
  createProcessors,
  type AttemptSignal,
  type Completed,
  type Continuation,
  type Job,
  type JobLog,
  type Middleware,
  type OnBlockerFailure,
  type Once,
  type Prepare,
  type Processors,
  type RetryOptions,
  type ScheduleOption,
} from "chainwright";
import { jobTypes } from "./job-types.ts";
import type { AppClient } from "./app-client.ts";

/** A completed blocker, of any type. */
interface Blocker {
  readonly id: string;
  readonly typeName: string;
  readonly status: "completed";
  readonly input: unknown;
  readonly output: unknown;
}

interface NextStep {
  readonly typeName: string;
  readonly input: unknown;
  readonly schedule?: ScheduleOption;
  readonly priority?: number;
  readonly pool?: string | null;
  readonly onBlockerFailure?: OnBlockerFailure;
  readonly blockers?: readonly {
    readonly id?: string;
    readonly typeName: string;
    readonly input?: unknown;
    readonly tags?: object;
  }[];
}

type ContinueWith = (next: NextStep) => Continuation;

/** What a handler of any job type receives. The payloads have no types here, because other tests check the types. */
export interface Context {
  readonly job: Job<string, unknown, readonly Blocker[]> & { readonly checkpoint?: unknown };
  readonly signal: AttemptSignal;
  readonly prepare: Prepare<unknown>;
  complete(
    callback: (context: { readonly tx: unknown; readonly continueWith: ContinueWith }) => unknown,
  ): Promise<Completed>;
  readonly continueWith: ContinueWith;
  readonly once: Once<unknown>;
  saveCheckpoint(checkpoint: unknown): Promise<void>;
  progress(progress: unknown): void;
  readonly log: JobLog;
  reschedule(schedule: { readonly at: Date } | { readonly afterMs: number }): never;
}

/** What a handler of many jobs receives. */
export interface BatchContext {
  readonly jobs: readonly Context["job"][];
  readonly signal: AttemptSignal;
  readonly failed: ((error: unknown) => unknown) & { readonly fatal: (reason: string | Error) => unknown };
  readonly reschedule: ((schedule: ScheduleOption) => never) & { readonly of: (schedule: ScheduleOption) => unknown };
  readonly continueWith: ContinueWith;
  complete(
    callback: (context: { readonly tx: unknown; readonly jobs: readonly Context["job"][] }) => unknown,
  ): Promise<Completed>;
}

export interface Batch {
  readonly maxSize: number;
  readonly maxWaitMs: number;
  readonly by?: (input: unknown) => unknown;
  readonly onThrow?: "bisect" | "together";
  readonly handler: (context: BatchContext) => unknown;
}

type Processor = ((context: Context) => unknown) | Definition;

interface Definition {
  readonly retry?: RetryOptions;
  readonly timeoutMs?: number;
  readonly leaseMs?: number;
  readonly handler?: (context: Context) => unknown;
  readonly batch?: Batch;
}

/** Handlers for the types that a worker of the case takes, and no others. */
export interface Handlers {
  readonly work?: Processor;
  readonly next?: Processor;
  readonly gather?: Processor;
  readonly middleware?: readonly Middleware[];
}

/** Turns these handlers, whose payloads have no types, into processors. */
export function processorsOf(client: AppClient, { middleware = [], ...processors }: Handlers): Processors {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the handlers have no types
  return createProcessors({ client, jobTypes, middleware, processors: processors as never });
}
