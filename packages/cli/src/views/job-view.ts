import type { StoredJob } from "chainwright";
import type { Column, Table } from "../output/output.ts";
import { errorJson, errorOf } from "./chain-view.ts";
import type { ShowPayload } from "./payload.ts";
import { statusStyle } from "./status.ts";

export type AnyJob = StoredJob<string, unknown, unknown>;

/** The rows of a list of jobs. */
export function jobTable(show: ShowPayload | undefined): Table<AnyJob> {
  return {
    columns: [
      { name: "id", cell: ({ id }) => id, isWhole: true },
      { name: "type", cell: ({ typeName }) => typeName },
      { name: "status", cell: ({ status }) => status, style: statusStyle },
      { name: "attempt", cell: ({ attempt }) => attempt, isNumber: true },
      { name: "created", cell: ({ createdAt }) => createdAt },
      { name: "due", cell: ({ scheduledAt }) => scheduledAt },
      { name: "error", cell: ({ lastError }) => errorOf(lastError), isFlexible: true },
      ...(show === undefined
        ? []
        : [{ name: "input", cell: (job: AnyJob) => JSON.stringify(show(() => job.input)), isFlexible: true }]),
    ],
    json: (job) => jobJson(job, show),
  };
}

/** A job as JSON. */
export function jobJson(job: AnyJob, show: ShowPayload | undefined): object {
  return {
    id: job.id,
    chainId: job.chainId,
    typeName: job.typeName,
    step: job.step,
    status: job.status,
    attempt: job.attempt,
    priority: job.priority,
    pool: job.pool,
    createdAt: job.createdAt,
    startedAt: job.startedAt,
    scheduledAt: job.scheduledAt,
    waitsUntil: job.waitsUntil,
    endedAt: job.endedAt,
    leasedBy: job.leasedBy,
    leasedUntil: job.leasedUntil,
    lastError: errorJson(job.lastError),
    ...(show === undefined ? {} : { input: show(() => job.input), output: show(() => job.output) }),
  };
}

/** The rows of the steps of one chain. */
export function stepTable(show: ShowPayload | undefined): Table<AnyJob> {
  const { columns, json } = jobTable(show);
  const [id, ...others] = columns;
  const step: Column<AnyJob> = { name: "step", cell: (job) => job.step, isNumber: true };
  return { columns: [step, ...others.filter(({ name }) => name !== "error"), ...(id === undefined ? [] : [id])], json };
}

/** The failed attempts of a job, for people. */
export function errorLines({ step, errors }: AnyJob): readonly string[] {
  return errors.map((error) => `  step ${step}, attempt ${error.attempt}: ${errorOf(error) ?? ""}`);
}
