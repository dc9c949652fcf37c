import type { Handle, Rows } from "./rows.ts";

/** The input of the chain that follows a stopped one, see `StoppedInput`. The input of the stopped chain is taken over as a text. */
export function stoppedInput<Job extends Handle, Chain extends Handle>(rows: Rows<Job, Chain>, chain: Chain): string {
  const { status, input, startedAt, step, errors, reason } = rows.ends.stopOf(chain);
  const { id } = chain;
  const { typeName, version } = rows.ends.entryOf(chain);
  const head = JSON.stringify({ id, typeName, version }).slice(0, -1);
  const error = status === "failed" ? lastError(errors) : undefined;
  const rest = JSON.stringify({ status, step, error, reason: status === "cancelled" ? reason : undefined }).slice(1);
  return `{"chain":${head},"input":${input},"startedAt":${startedAt}},${rest}`;
}

/** As the engine shows it. Errors are a list in JSON text. */
function lastError(errors: string | undefined): unknown {
  const all: unknown = errors === undefined ? [] : JSON.parse(errors);
  return Array.isArray(all) ? all.at(-1) : undefined;
}
