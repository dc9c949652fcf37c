import type { PayloadView } from "../../../src/protocol/views.ts";
import { formatBytes } from "../format/number.ts";

const longest = 200;

/** A payload on one line; empty if there is none. */
export function textOfPayload(payload: PayloadView): string {
  if (payload.kind === "none") return "";
  if (payload.kind === "unreadable") return payload.summary;
  if (payload.kind === "large") return formatBytes(payload.bytes);
  const text = JSON.stringify(payload.value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
