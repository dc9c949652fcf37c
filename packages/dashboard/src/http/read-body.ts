import { Refusal } from "./refusal.ts";

/** A bulk action on 500 ids takes 20 KB; the rest leaves room for an edited input. */
const mostBytes = 1_048_576;
const mostDepth = 100;

/**
 * Reads the JSON body of a request: at most 1 MiB and 100 levels.
 *
 * @throws an error that `refusalOf` knows
 * @example
 * const echo = async (request: Request): Promise<Response> => Response.json(await readJson(request));
 */
export async function readJson(request: Request): Promise<unknown> {
  const text = await readText(request);
  if (depthOf(text) > mostDepth) throw invalidBody(`nests deeper than ${mostDepth} levels`);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalidBody("is not JSON");
  }
}

async function readText(request: Request): Promise<string> {
  if (request.body === null) throw invalidBody("is empty");
  if (Number(request.headers.get("content-length") ?? 0) > mostBytes) throw tooLarge();
  const body: ReadableStream<Uint8Array> = request.body;
  const chunks: Uint8Array[] = [];
  let length = 0;
  // The header may be wrong, so the bytes are counted.
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > mostBytes) throw tooLarge();
    chunks.push(chunk);
  }
  if (length === 0 && Number(request.headers.get("content-length") ?? 0) > 0) {
    throw invalidBody("was read before it reached the dashboard: mount the dashboard before any body parser");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw invalidBody("is not UTF-8");
  }
}

/** Returns how deep brackets nest in a JSON text, without parsing it. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (inString) {
      if (character === "\\") index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "[" || character === "{") deepest = Math.max(deepest, (depth += 1));
    else if (character === "]" || character === "}") depth -= 1;
  }
  return deepest;
}

function invalidBody(how: string): Refusal {
  return new Refusal(400, "invalid-request", `The request's body ${how}.`);
}

function tooLarge(): Refusal {
  return new Refusal(413, "invalid-request", `The request's body must be at most ${mostBytes} bytes.`);
}
