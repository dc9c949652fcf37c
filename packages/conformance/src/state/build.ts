import type { BlockerStart, Fence, JobStart, OpenStep, Outcome, Schedule } from "chainwright/adapter";

export function newId(): string {
  return globalThis.crypto.randomUUID();
}

/** A job to start, with what a case does not care about filled in. */
export function job(typeName: string, details: Partial<JobStart> = {}): JobStart {
  return {
    id: newId(),
    typeName,
    input: "{}",
    priority: 0,
    schedule: undefined,
    blockers: [],
    onBlockerFailure: "fail",
    deduplication: undefined,
    context: undefined,
    ...details,
  };
}

/** A blocker that exists already. */
export function blockedBy(chainId: string, typeName?: string): BlockerStart {
  return { chainId, typeName };
}

type Target = Fence | OpenStep;

export function completed(target: Target, output = "null", outputVersion?: number): Outcome {
  return { target, kind: "completed", output, outputVersion };
}

export function continued(target: Target, next: JobStart): Outcome {
  return { target, kind: "continued", next };
}

export function failed(target: Target, errors = errorsText("it broke")): Outcome {
  return { target, kind: "failed", errors };
}

interface Deferral {
  readonly counted?: boolean;
  readonly schedule?: Schedule;
  readonly errors?: string;
}

export function deferred(target: Fence, details: Deferral = {}): Outcome {
  return {
    target,
    kind: "deferred",
    schedule: details.schedule,
    counted: details.counted ?? true,
    errors: details.errors,
  };
}

/** The JSON text of one attempt's error. */
export function errorsText(message: string, attempt = 1): string {
  return JSON.stringify([{ attempt, at: 0, workerId: "w", name: "Error", message }]);
}
