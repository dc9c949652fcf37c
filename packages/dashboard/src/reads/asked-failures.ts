import type { queries, readQuery } from "../http/query.ts";
import type { FailedResponse } from "../protocol/reads.ts";

/** What a request asks of failed steps. */
export type AskedFailures = ReturnType<typeof readQuery<(typeof queries)["failed"]>>;

/** What was found of them. */
export type FoundFailures = Omit<FailedResponse, "now" | "total">;
