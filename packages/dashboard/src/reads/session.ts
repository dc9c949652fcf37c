import { actionsOf } from "../roles.ts";
import type { Call, Context } from "../context.ts";
import type { SessionResponse } from "../protocol/actions.ts";
import { queries, readQuery } from "../http/query.ts";
import { mostItems } from "../actions/request.ts";

export async function session({ clock, writeAccess }: Context, { query, principal }: Call): Promise<SessionResponse> {
  readQuery(query, queries.none);
  const actions = actionsOf(principal);
  return {
    role: principal.role,
    name: principal.name,
    actions,
    readOnly: actions.length === 0 ? undefined : await writeAccess(),
    maxItems: mostItems,
    now: clock.now(),
  };
}
