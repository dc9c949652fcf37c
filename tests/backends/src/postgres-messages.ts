/** One message of the Postgres protocol, whole. */
export interface PostgresMessage {
  /** The letter it begins with. A client's first ones have none: `startup`, `cancel` or `encrypt`. */
  readonly kind: string;
  readonly bytes: Buffer;
}

/** Takes bytes as they come, and gives the messages that have become whole. */
export type Framing = (chunk: Buffer) => readonly PostgresMessage[];

/** Finds the messages in what one end sends. Encryption has to be refused before: nothing is found in what is encrypted. */
export function createFraming(from: "client" | "server"): Framing {
  let rest: Buffer = Buffer.alloc(0);
  let isGreeting = from === "client";
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const messages: PostgresMessage[] = [];
    for (let end = endOfFirst(rest, isGreeting); end <= rest.length; end = endOfFirst(rest, isGreeting)) {
      const bytes = rest.subarray(0, end);
      rest = rest.subarray(end);
      const kind = isGreeting ? greetingOf(bytes) : String.fromCharCode(bytes[0] ?? 0);
      if (kind === "startup") isGreeting = false;
      messages.push({ kind, bytes });
    }
    return messages;
  };
}

/** The length counts itself, and not the letter before it. */
function endOfFirst(bytes: Buffer, isGreeting: boolean): number {
  const letters = isGreeting ? 0 : 1;
  return bytes.length < letters + 4 ? Infinity : letters + bytes.readInt32BE(letters);
}

function greetingOf(bytes: Buffer): string {
  const code = bytes.readInt32BE(4);
  if (code === 80_877_102) return "cancel";
  return code === 80_877_103 || code === 80_877_104 ? "encrypt" : "startup";
}
