import type { Asked, Context } from "../context.ts";
import { readBodyOf } from "../context.ts";
import { json, type Reply } from "../http/message.ts";
import { assertMay } from "../keys.ts";
import { bodies } from "../schemas.ts";

/** Extends leases. */
export async function leases(context: Context, { call, caller }: Asked): Promise<Reply> {
  const { jobs } = await readBodyOf(context, call, bodies.leases);
  const tokens = new Map<object, string>();
  const renewals = jobs.map(({ token, leaseMs }) => {
    const lease = context.tokens.leaseOf(token);
    assertMay(caller, "work", lease.typeName);
    tokens.set(lease, token);
    return { lease, leaseMs };
  });
  const lost = await context.remote.renew(renewals);
  const told = lost.map(({ lease, reason }) => ({ token: tokens.get(lease), reason }));
  return json({ lost: told, renewed: jobs.length - lost.length });
}
