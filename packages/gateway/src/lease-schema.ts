import type { RemoteLease } from "chainwright/remote";
import { z } from "@hono/zod-openapi";

/** What a token contains. */
export const leaseSchema: z.ZodType<RemoteLease> = z.object({
  id: z.string(),
  chainId: z.string(),
  typeName: z.string(),
  version: z.number(),
  pool: z.string().optional().transform(undefinedToo),
  priority: z.number(),
  attempt: z.number(),
  fence: z.number(),
  limits: z.array(z.object({ limit: z.string(), key: z.string(), isProbe: z.boolean().optional() })).optional(),
  workerId: z.string(),
  claimedAt: z.number(),
});

/** A property that is always there. */
function undefinedToo(value: string | undefined): string | undefined {
  return value;
}
