/** Whether and how payloads are printed. */
export interface PayloadFlags {
  readonly payloads?: true | undefined;
  readonly redact?: readonly string[] | undefined;
}

/** A payload as it may be printed. */
export type ShowPayload = (read: () => unknown) => unknown;

/** Payloads are printed with `--payloads` only, and without the values of the keys of `--redact`. */
export async function payloadsBy({ payloads, redact }: PayloadFlags): Promise<ShowPayload | undefined> {
  if (payloads !== true) return undefined;
  const hide = redact === undefined || redact.length === 0 ? undefined : await hidingKeys(redact);
  return (read) => {
    try {
      const value = read();
      return hide === undefined ? value : hide(value);
    } catch (error) {
      // A stored payload that this code cannot read.
      return { unreadable: error instanceof Error ? error.message : String(error) };
    }
  };
}

async function hidingKeys(keys: readonly string[]): Promise<(value: unknown) => unknown> {
  const { redactKeys } = await import("@chainwright/dashboard");
  const redact = redactKeys(keys);
  const where = { part: "input", typeName: "", chainId: "", principal: { role: "admin" } } as const;
  return (value) => redact(value, where);
}
