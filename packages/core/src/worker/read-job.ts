import { whenKnown } from "../checks/schema-verdict.ts";
import type { Engine } from "../engine/engine.ts";
import type { ClaimedJob } from "../model/record.ts";
import { readBlockers } from "./read-blockers.ts";
import { readSignals, type SeenSignals } from "./read-signals.ts";

/** What a handler sees of its job that has to be read. */
export interface Seen {
  readonly input: unknown;
  readonly blockers: readonly object[];
  readonly signals: SeenSignals | undefined;
  /** Undefined: none was saved. */
  readonly checkpoint: unknown;
}

/** A job that was read before its handler is called, or why it could not be. */
export type ReadJob = { readonly seen: Seen } | { readonly seen: undefined; readonly error: unknown };

/**
 * Reads what the handler of a claimed job sees.
 *
 * @throws `UnreadableInput`
 */
export function readJob(engine: Engine, job: ClaimedJob): Seen | Promise<Seen> {
  const input = engine.types.readInput(job.typeName, job.input, job.version);
  if (input instanceof Promise) return readRest(engine, job, input);
  const blockers = readBlockers(engine, job);
  if (blockers instanceof Promise || job.checkpoint !== undefined) return readRest(engine, job, input, blockers);
  return whenKnown(readSignals(engine, job), (signals) => ({ input, blockers, signals, checkpoint: undefined }));
}

async function readRest(
  engine: Engine,
  job: ClaimedJob,
  input: unknown,
  blockers?: readonly object[] | Promise<readonly object[]>,
): Promise<Seen> {
  const read = await input;
  return {
    input: read,
    blockers: await (blockers ?? readBlockers(engine, job)),
    signals: await readSignals(engine, job),
    checkpoint:
      job.checkpoint === undefined ? undefined : await engine.types.notes.readCheckpoint(job.typeName, job.checkpoint),
  };
}
