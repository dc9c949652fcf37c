import { greet } from "./loopback.ts";

/** Returns the server's version when it accepts a client; rejects while the server starts or recovers. */
export function probePostgres(port: number): Promise<string> {
  return greet({ port, say: startupMessage(), hear });
}

function startupMessage(): Buffer {
  const parameters = Buffer.from("user\0postgres\0database\0postgres\0\0", "latin1");
  const head = Buffer.alloc(8);
  head.writeInt32BE(head.length + parameters.length, 0);
  head.writeInt32BE(196_608, 4); // protocol 3.0
  return Buffer.concat([head, parameters]);
}

/** A message is a letter, a length that includes the length field, and a body; the version is a parameter status. */
function hear(received: Buffer): string | undefined {
  let at = 0;
  while (at + 5 <= received.length) {
    const kind = String.fromCharCode(received[at] ?? 0);
    const end = at + 1 + received.readInt32BE(at + 1);
    if (end > received.length) return undefined;
    const [name, value] = received.toString("utf8", at + 5, end).split("\0");
    if (kind === "E")
      throw new Error(
        `Postgres replied with an error: ${received.toString("utf8", at + 5, end).replaceAll("\0", " ")}`,
      );
    if (kind === "S" && name === "server_version") return value;
    at = end;
  }
  return undefined;
}
