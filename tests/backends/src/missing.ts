/** A backend that was found in none of the places it may be in; the message says where was looked. */
export class BackendMissingError extends Error {
  override readonly name = "BackendMissingError";

  constructor(backend: string, reasons: readonly string[]) {
    super(`${backend} was found nowhere: ${reasons.join("; ")}`);
  }
}
