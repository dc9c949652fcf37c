import type { Readable } from "node:stream";

type Message = Readonly<Record<string, unknown>>;

/** Cuts a stream into its messages: a header with the length, an empty line, and JSON. Both kinds of server speak so. */
export function createFrames(stream: Readable, onMessage: (message: Message) => void): void {
  let rest = Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const header = /Content-Length: (\d+)\r?\n(?:[^\r\n]+\r?\n)*\r?\n/u.exec(rest.toString("latin1", 0, 200));
      if (header === null) return;
      const start = header.index + header[0].length;
      const end = start + Number(header[1]);
      if (rest.length < end) return;
      const message = JSON.parse(rest.toString("utf8", start, end)) as Message;
      rest = rest.subarray(end);
      onMessage(message);
    }
  });
}
