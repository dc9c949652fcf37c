/** The error for a backend that no source has; the message gives the reason for each source. */
export class BackendMissingError extends Error {
  override readonly name = "BackendMissingError";

  constructor(backend: string, reasons: readonly string[]) {
    super(`${backend} was not found: ${reasons.join("; ")}`);
  }
}
