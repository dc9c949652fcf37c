import { actionsOf } from "../roles.ts";
import type { Call, Context } from "../context.ts";
import type { SessionAnswer } from "../protocol.ts";
import { queries, readQuery } from "../query.ts";
import { mostItems } from "../actions/request.ts";

export function session({ clock }: Context, { query, principal }: Call): SessionAnswer {
  readQuery(query, queries.none);
  return {
    role: principal.role,
    name: principal.name,
    actions: actionsOf(principal.role),
    maxItems: mostItems,
    now: clock.now(),
  };
}
