import type { Chain } from "chainwright";
import type { StoppedEnd } from "./job-types.ts";

/**
 * `json`: an object with `type`, `timestamp` and `data`, as Standard Webhooks recommends; `cloudevents`: CloudEvents 1.0 in JSON.
 *
 * @example
 * const format: CallbackFormat = "cloudevents";
 */
export type CallbackFormat = "json" | "cloudevents";

/** A body to send. */
export interface Body {
  readonly contentType: string;
  readonly text: string;
}

/** What has happened to a chain. */
export interface ChainEnd {
  readonly chainId: string;
  readonly typeName: string;
  readonly status: "completed" | "failed" | "cancelled";
  /** ISO 8601. */
  readonly endedAt: string;
  /** Its `output`, `error` or `reason`. */
  readonly result: object;
}

interface Wanted {
  /** The id of the event, the same for all attempts. */
  readonly id: string;
  readonly format: CallbackFormat;
  /** Larger bodies are sent without the output. */
  readonly mostBytes: number;
}

/** The event of an end, the same for all attempts. */
export function bodyOf(end: ChainEnd, { id, format, mostBytes }: Wanted): Body {
  const { chainId, typeName, status, endedAt: time } = end;
  const type = `chain.${status}`;
  const write = (result: object): string => {
    const data = { chainId, typeName, ...result };
    return format === "json"
      ? JSON.stringify({ type, timestamp: time, data })
      : JSON.stringify({ specversion: "1.0", id, source: "chainwright", type, time, subject: chainId, data });
  };
  const contentType = format === "json" ? "application/json" : "application/cloudevents+json";
  const whole = write(end.result);
  return { contentType, text: Buffer.byteLength(whole) <= mostBytes ? whole : write({ isTruncated: true }) };
}

const longestText = 2_000;

/** How a chain has stopped, for the events of the future: it may be retried. */
export function stoppedEndOf(chain: Extract<Chain, { readonly status: "failed" | "cancelled" }>): StoppedEnd {
  const { status } = chain;
  const endedAt = chain.endedAt.toISOString();
  if (status === "cancelled")
    return { status, endedAt, ...(chain.reason !== undefined && { reason: chain.reason.slice(0, longestText) }) };
  const { code, message } = chain.error;
  return { status, endedAt, error: { ...(code !== undefined && { code }), message: message.slice(0, longestText) } };
}
