import { whyUnreadable } from "../checks/readability.ts";
import type { UnreadableInput } from "../checks/unreadable-input.ts";
import type { StoreAccess } from "../engine/engine.ts";
import type { ChainRecord, JobRecord } from "../model/record.ts";

const blockersPerPage = 1_000;

/**
 * Why the handler of a job could not be given what it reads: the job's own input, and the inputs and outputs of its blockers.
 * Undefined: it can. A job with blockers costs one more read for each thousand of them.
 */
export async function whyJobUnreadable(
  store: StoreAccess,
  job: JobRecord,
  tx: unknown,
): Promise<UnreadableInput | undefined> {
  const { typeName, version } = job;
  const stored = { payload: "input", typeName, version } as const;
  const own = await whyUnreadable(store.types, stored, { text: job.input, by: "handler" });
  return own === undefined && job.hasBlockers ? await whyBlockersUnreadable(store, job.id, tx) : own;
}

async function whyBlockersUnreadable(
  store: StoreAccess,
  jobId: string,
  tx: unknown,
): Promise<UnreadableInput | undefined> {
  let afterPosition: number | undefined;
  for (;;) {
    const query = { jobId, afterPosition, limit: blockersPerPage };
    const page = await store.state.listBlockers(query, store.callOptions(tx));
    for (const { chain } of page) {
      const error = await whyBlockerUnreadable(store, chain);
      if (error !== undefined) return error;
    }
    if (page.length < blockersPerPage) return undefined;
    afterPosition = page.at(-1)?.position;
  }
}

async function whyBlockerUnreadable({ types }: StoreAccess, chain: ChainRecord): Promise<UnreadableInput | undefined> {
  const { typeName, version, input, output, outputVersion, outputTypeName = typeName } = chain;
  const given = await whyUnreadable(types, { payload: "input", typeName, version }, { text: input, by: "reader" });
  if (given !== undefined || output === undefined) return given;
  const stored = { payload: "output", typeName: outputTypeName, version: outputVersion } as const;
  return await whyUnreadable(types, stored, { text: output, by: "reader" });
}
