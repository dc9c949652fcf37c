import type { Call, Context } from "../context.ts";
import type { SignalsResponse } from "../protocol/reads.ts";
import { queries, readQuery } from "../http/query.ts";
import { pageView, payloadView } from "../views.ts";

const signalsOnPage = 50;
const mostBytes = 4_096;

export async function signals(context: Context, { query }: Call): Promise<SignalsResponse> {
  const { id, cursor } = readQuery(query, queries.byId);
  return await pageOfSignals(context, id, cursor);
}

/** The signals of a chain, oldest first. */
export async function pageOfSignals(
  { client, redaction }: Context,
  id: string,
  cursor?: string,
): Promise<SignalsResponse> {
  const page = await client.listSignals({ id, cursor, limit: signalsOnPage });
  return pageView(page, ({ position, typeName, signal, payload, at, takenBy }) => ({
    position,
    typeName,
    signal,
    payload: payloadView(payload, { part: "signal", typeName, chainId: id }, { redaction, mostBytes }),
    at: at.getTime(),
    takenBy,
  }));
}
