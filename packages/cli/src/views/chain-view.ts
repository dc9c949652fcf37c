import type { AttemptError, Chain } from "chainwright";
import type { Table } from "../output/output.ts";
import type { ShowPayload } from "./payload.ts";
import { statusStyle } from "./status.ts";

/** The first line of an error. */
export function errorOf(error: AttemptError | undefined): string | undefined {
  return error === undefined ? undefined : `${error.name}: ${error.message}`;
}

/** The rows of a list of chains. */
export function chainTable(show: ShowPayload | undefined): Table<Chain> {
  return {
    columns: [
      { name: "id", cell: ({ id }) => id, isWhole: true },
      { name: "type", cell: ({ typeName }) => typeName },
      { name: "status", cell: ({ status }) => status, style: statusStyle },
      { name: "started", cell: ({ createdAt }) => createdAt },
      { name: "ended", cell: ({ endedAt }) => endedAt },
      { name: "error", cell: (chain) => errorOf(chain.error) ?? chain.reason, isFlexible: true },
      ...(show === undefined
        ? []
        : [{ name: "input", cell: (chain: Chain) => JSON.stringify(show(() => chain.input)), isFlexible: true }]),
    ],
    json: (chain) => chainJson(chain, show),
  };
}

/** A chain as JSON. */
export function chainJson(chain: Chain, show: ShowPayload | undefined): object {
  const { id, typeName, status, createdAt, endedAt, tags, deduplicationKey, error, reason, deadlineAt } = chain;
  const payloads =
    show === undefined
      ? {}
      : { input: show(() => chain.input), ...(status === "completed" ? { output: show(() => chain.output) } : {}) };
  return {
    id,
    typeName,
    status,
    createdAt,
    endedAt,
    deadlineAt,
    tags,
    deduplicationKey,
    error: errorJson(error),
    reason,
    ...payloads,
  };
}

export function errorJson(error: AttemptError | undefined): object | undefined {
  return error === undefined ? undefined : { name: error.name, message: error.message };
}
