import { actionsOf } from "../roles.ts";
import type { Call, Context } from "../context.ts";
import type { SessionResponse } from "../protocol/actions.ts";
import { queries, readQuery } from "../http/query.ts";
import { mostItems } from "../actions/request.ts";

export function session({ clock }: Context, { query, principal }: Call): SessionResponse {
  readQuery(query, queries.none);
  return {
    role: principal.role,
    name: principal.name,
    actions: actionsOf(principal),
    maxItems: mostItems,
    now: clock.now(),
  };
}
