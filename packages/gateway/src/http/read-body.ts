import { Refusal } from "./refusal.ts";
import type { BodyLimits } from "./message.ts";

const mostDepth = 100;

/** Reads a body of bounded size in bounded time. */
export async function readBody(chunks: AsyncIterable<Uint8Array>, { bytes, ms }: BodyLimits): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Refusal(408, "invalid-request", "The body took too long to arrive.")), ms);
  });
  const reading = (async () => {
    for await (const chunk of untilHungUp(chunks)) {
      length += chunk.byteLength;
      if (length > bytes) throw new Refusal(413, "payload-too-large", `The body must have at most ${bytes} bytes.`);
      parts.push(chunk);
    }
  })();
  try {
    await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
    reading.catch(() => undefined);
  }
  return decode(parts);
}

/** A client that hangs up within its body is no failure of the gateway. */
async function* untilHungUp(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch {
    throw new Refusal(400, "invalid-request", "The connection ended within the body.");
  }
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

/** Looks at the text, because a parser may run out of stack. Few brackets cannot nest deep, and counting them is fast. */
function nestsTooDeep(text: string): boolean {
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
