import { createWriteAccess } from "./actions/write-access.ts";
import { systemClock, type DashboardClock } from "./clock.ts";
import type { Context } from "./context.ts";
import type { ErasedClient } from "chainwright/adapter";
import { createLatestNotes } from "./live/latest-notes.ts";
import { createWatch, type Watch } from "./live/watch.ts";
import type { DashboardOptions, Principal } from "./options.ts";
import { createRedactions, type Redaction } from "./redaction.ts";

/** Payloads up to this size are sent with their step; larger ones only by `GET job`. */
const usualInlineBytes = 16_384;

export interface ContextsOptions {
  readonly client: ErasedClient;
  readonly redact: DashboardOptions["redact"];
  readonly onFailure: (error: unknown, where: string) => void;
  readonly clock?: DashboardClock | undefined;
  readonly mostInlineBytes?: number | undefined;
}

/** What all readers share, and the context of each. */
export interface Contexts {
  readonly watch: Watch;
  readonly redactionFor: (principal: Principal) => Redaction;
  readonly contextFor: (principal: Principal) => Context;
}

export function createContexts({
  client,
  redact,
  onFailure,
  clock = systemClock,
  mostInlineBytes = usualInlineBytes,
}: ContextsOptions): Contexts {
  const latestNotes = createLatestNotes(client, clock);
  const writeAccess = createWriteAccess(client, clock);
  const watch = createWatch({ client, clock, latestNotes, onFailure: (error) => onFailure(error, "look") });
  const redactionFor = createRedactions(redact, (error) => onFailure(error, "redact"));
  return {
    watch,
    redactionFor,
    contextFor: (principal) => ({
      client,
      clock,
      watch,
      latestNotes,
      writeAccess,
      mostInlineBytes,
      redacts: redact !== undefined,
      redaction: redactionFor(principal),
      onFailure,
    }),
  };
}
