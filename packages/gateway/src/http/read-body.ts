import type { Readable } from "node:stream";
import { Refusal } from "./refusal.ts";
import type { BodyLimits } from "./message.ts";

const mostDepth = 100;

/** Reads a body of bounded size in bounded time. */
export async function readBody(chunks: AsyncIterable<Uint8Array>, limits: BodyLimits): Promise<string> {
  const body = createBody(limits.bytes);
  return await inTime(limits.ms, async () => {
    for await (const chunk of untilHungUp(chunks)) body.add(chunk);
    return body.text();
  });
}

/** The same for node:http, by events: an async iterator took 3 % of the time of a start. */
export async function readNodeBody(request: Readable, limits: BodyLimits): Promise<string> {
  const body = createBody(limits.bytes);
  return await inTime(
    limits.ms,
    () =>
      new Promise((resolve, reject) => {
        const settle = (act: () => void): void => {
          try {
            act();
          } catch (error) {
            request.pause();
            reject(error instanceof Error ? error : hungUp());
          }
        };
        request.on("data", (chunk: Uint8Array) => settle(() => body.add(chunk)));
        let isRead = false;
        request.once("end", () => {
          isRead = true;
          settle(() => resolve(body.text()));
        });
        request.once("error", () => reject(hungUp()));
        request.once("close", () => {
          if (!isRead) reject(hungUp());
        });
      }),
  );
}

/** Collects the chunks of a body of bounded size. */
function createBody(bytes: number) {
  const parts: Uint8Array[] = [];
  let length = 0;
  return {
    add(chunk: Uint8Array): void {
      length += chunk.byteLength;
      if (length > bytes) throw new Refusal(413, "payload-too-large", `The body must have at most ${bytes} bytes.`);
      parts.push(chunk);
    },
    text: () => decode(parts),
  };
}

async function inTime(ms: number, read: () => Promise<string>): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Refusal(408, "invalid-request", "The body took too long to arrive.")), ms);
  });
  const reading = read();
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
    reading.catch(() => undefined);
  }
}

/** A client that hangs up within its body is no failure of the gateway. */
async function* untilHungUp(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch {
    throw hungUp();
  }
}

function hungUp(): Refusal {
  return new Refusal(400, "invalid-request", "The connection ended within the body.");
}

function decode(parts: readonly Uint8Array[]): string {
  const [first] = parts;
  const all = parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(all);
  } catch {
    throw new Refusal(400, "invalid-request", "The body is not UTF-8.");
  }
}

/** Parses JSON whose brackets nest at most so deep. */
export function parseJson(text: string): unknown {
  if (nestsTooDeep(text)) throw new Refusal(400, "invalid-request", `The body nests deeper than ${mostDepth} levels.`);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Refusal(400, "invalid-request", "The body is not JSON.");
  }
}

/** Looks at the text, because a parser may run out of stack. */
function nestsTooDeep(text: string): boolean {
  if (text.length <= mostDepth) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) inString = !inString;
    else if (code === 0x5c && inString) at += 1;
    else if (!inString && (code === 0x7b || code === 0x5b) && (depth += 1) > mostDepth) return true;
    else if (!inString && (code === 0x7d || code === 0x5d)) depth -= 1;
  }
  return false;
}
