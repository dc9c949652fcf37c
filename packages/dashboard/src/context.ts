import type { WriteAccess } from "./actions/write-access.ts";
import type { DashboardClock } from "./clock.ts";
import type { ErasedClient } from "chainwright/adapter";
import type { Principal } from "./options.ts";
import type { Redaction } from "./redaction.ts";
import type { LatestNotes } from "./live/latest-notes.ts";
import type { Watch } from "./live/watch.ts";

/** What every route uses. */
export interface Context {
  readonly client: ErasedClient;
  readonly redaction: Redaction;
  /** Whether the application has a `redact`. */
  readonly redacts: boolean;
  readonly watch: Watch;
  readonly latestNotes: LatestNotes;
  readonly clock: DashboardClock;
  readonly writeAccess: WriteAccess;
  /** Larger payloads are not in a chain and its steps, only in the read of one job. */
  readonly mostInlineBytes: number;
  /** Reports a failure that the response does not tell. */
  readonly onFailure: (error: unknown, where: string) => void;
}

/** One authorised request. */
export interface Call {
  readonly request: Request;
  readonly query: URLSearchParams;
  readonly principal: Principal;
}

/** What reads use of a call. */
export type Asked = Pick<Call, "query">;
