import { invalid } from "../../checks/check-options.ts";
import { serialize } from "../../checks/json.ts";
import { whenKnown } from "../../checks/schema-verdict.ts";
import { ChainwrightError, isChainwrightError } from "../../model/error.ts";
import { observeLine } from "../../engine/contexts.ts";
import { logLevels, type LogLevel, type Reports } from "../../model/note.ts";
import { checkLife, quieten, stopLife, whileAlive } from "../attempt-life.ts";
import { createDelivery } from "./deliver.ts";
import type { NotingAttempt } from "./noting-attempt.ts";
import { createOnce, type Once } from "./once.ts";
import { createReportBuffer } from "./report-buffer.ts";

/** What a handler notes about its job: one for each attempt that notes something. */
export interface AttemptNotes {
  readonly once: Once;
  saveCheckpoint(value: unknown): Promise<void>;
  progress(value: unknown): void;
  readonly log: Readonly<Record<LogLevel, (message: string, data?: unknown) => void>>;
  /** What was reported and is not written yet; undefined: nothing. The outcome of the attempt carries it. */
  rest(): Reports | undefined;
}

export function createAttemptNotes(attempt: NotingAttempt): AttemptNotes {
  const { engine, job, fence: target, life, noting } = attempt;
  const buffer = createReportBuffer({
    attempt: job.attempt,
    fence: target.fence,
    now: engine.clock.now,
    onDropped: (count) => recordDropped(attempt, count),
  });
  const source = {
    take() {
      // The outcome carries the rest, or the attempt was lost.
      const reports = life.ended === undefined ? buffer.take() : undefined;
      return reports && { target, ...reports };
    },
    written: buffer.written,
    putBack: buffer.putBack,
  };
  const report = (): void => noting.pump.report(source);
  const setProgress = (text: string): void => {
    buffer.setProgress(text);
    report();
  };
  const addLine = (level: LogLevel, said: unknown, data: unknown): void => {
    if (life.ended !== undefined) return;
    const message = String(said);
    buffer.addLine(level, message, data);
    report();
    observeLine(engine.contexts, { level, message, data });
  };

  return {
    once: createOnce(attempt, createDelivery(attempt)),
    saveCheckpoint(value) {
      const saved = whileAlive(life, () => saveCheckpoint(attempt, value));
      quieten(saved);
      return saved;
    },
    progress: (value) => progress(attempt, value, setProgress),
    log: logOf(addLine),
    rest: buffer.peek,
  };
}

function recordDropped({ engine: { observed, events }, job, fence: { workerId } }: NotingAttempt, count: number): void {
  if (!observed) return;
  const { id: jobId, chainId, typeName, attempt } = job;
  events.record([{ type: "log-lines-dropped", jobId, chainId, typeName, workerId, attempt, count }], undefined);
}

function logOf(addLine: (level: LogLevel, message: unknown, data: unknown) => void): AttemptNotes["log"] {
  const [debug, info, warn, error] = logLevels;
  return {
    debug: (message, data) => addLine(debug, message, data),
    info: (message, data) => addLine(info, message, data),
    warn: (message, data) => addLine(warn, message, data),
    error: (message, data) => addLine(error, message, data),
  };
}

async function saveCheckpoint(attempt: NotingAttempt, value: unknown): Promise<void> {
  const { engine, job, life, steps, noting } = attempt;
  steps.assertMayNote("saveCheckpoint");
  const checkpoint = serialize(value, `the checkpoint of "${job.typeName}"`, engine.maxPayloadBytes);
  const checked = engine.types.notes.check("checkpoint", job.typeName, checkpoint);
  if (checked instanceof Promise) await checked;
  checkLife(life);
  await createDelivery(attempt)({ checkpoint });
  if (!noting.isStopping()) return;
  stopLife(
    life,
    new ChainwrightError(
      "worker-stopping",
      "the worker is stopping; the checkpoint is saved, and the job goes on from it in another attempt.",
    ),
  );
  checkLife(life);
}

/** Never throws: a mistake is reported as one of the handler. */
function progress(attempt: NotingAttempt, value: unknown, set: (text: string) => void): void {
  const { engine, job, life, reportMistake } = attempt;
  if (life.ended !== undefined) return;
  const refuse = (error: unknown): void =>
    reportMistake(isChainwrightError(error) ? error : invalid(`the progress of "${job.typeName}" is wrong.`, error));
  try {
    const text = serialize(value, `the progress of "${job.typeName}"`, engine.maxPayloadBytes);
    const checked = whenKnown(engine.types.notes.check("progress", job.typeName, text), () => set(text));
    if (checked instanceof Promise) checked.catch(refuse);
  } catch (error) {
    refuse(error);
  }
}
