/** The command line is wrong: the program ends with 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The program refuses, and nothing was changed: it ends with 1. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
