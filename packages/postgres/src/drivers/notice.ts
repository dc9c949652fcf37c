/** What a client library passes on of a notice of the server. */
export interface Notice {
  readonly code?: string | undefined;
  readonly routine?: string | undefined;
}

/**
 * Whether a notice says that a commit no longer waits for the standbys it was to wait for: it was made on this server alone,
 * and reported as a success. The text of the notice depends on the server's language; these two fields do not.
 */
export function saysNotReplicated({ code, routine }: Notice): boolean {
  return code === "01000" && routine === "SyncRepWaitForLSN";
}
