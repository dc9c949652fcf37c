/** The fields of a notice of the server that client libraries pass on. */
export interface Notice {
  readonly code?: string | undefined;
  readonly routine?: string | undefined;
}

/**
 * Whether a notice reports that a commit stopped waiting for its standbys: it exists on this server only, and was reported as a
 * success. The text of the notice depends on the server's language; these two fields do not.
 */
export function saysNotReplicated({ code, routine }: Notice): boolean {
  return code === "01000" && routine === "SyncRepWaitForLSN";
}
