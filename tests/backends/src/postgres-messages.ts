/** One whole message of the Postgres protocol. */
export interface PostgresMessage {
  /** Its first letter. The first messages of a client have no letter; for them `startup`, `cancel` or `encrypt`. */
  readonly kind: string;
  readonly bytes: Buffer;
}

/** Takes the next bytes, and returns the messages that they complete. */
export type Framing = (chunk: Buffer) => readonly PostgresMessage[];

/** Splits the bytes of one end into messages. Encryption must be refused, because encrypted bytes cannot be split. */
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

/** Where the first message ends. Its length includes the length field, but not the letter before it. */
function endOfFirst(bytes: Buffer, isGreeting: boolean): number {
  const letters = isGreeting ? 0 : 1;
  return bytes.length < letters + 4 ? Infinity : letters + bytes.readInt32BE(letters);
}

function greetingOf(bytes: Buffer): string {
  const code = bytes.readInt32BE(4);
  if (code === 80_877_102) return "cancel";
  return code === 80_877_103 || code === 80_877_104 ? "encrypt" : "startup";
}
