import type { DashboardClock } from "./clock.ts";
import type { DashboardClient } from "./dashboard-client.ts";
import type { Principal } from "./options.ts";
import type { Redaction } from "./redaction.ts";
import type { Watch } from "./live/watch.ts";

/** What every route uses. */
export interface Context {
  readonly client: DashboardClient;
  readonly redaction: Redaction;
  /** Whether the application has a `redact`. */
  readonly redacts: boolean;
  readonly watch: Watch;
  readonly clock: DashboardClock;
}

/** One authorised request. */
export interface Call {
  readonly request: Request;
  readonly query: URLSearchParams;
  readonly principal: Principal;
}
