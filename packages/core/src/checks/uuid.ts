import type { Clock } from "../ports/clock.ts";

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Whether a text is a UUID in lower case, of any version. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}

/**
 * Makes time-ordered ids: UUID version 7 (RFC 9562, section 5.7) with a counter in `rand_a` (its method 1), so that the ids
 * of one process ascend even within a millisecond and when the clock is set back.
 */
export function createIdSource(clock: Clock): () => string {
  const random = new Uint8Array(8);
  let lastMs = 0;
  let counter = 0;
  let head = "";
  return () => {
    // A clock may count parts of milliseconds; an id has no place for them.
    const now = Math.floor(clock.now());
    counter += 1;
    if (now > lastMs || counter > 0xfff) {
      lastMs = now > lastMs ? now : lastMs + 1;
      counter = 0;
      const time = lastMs.toString(16).padStart(12, "0");
      head = `${time.slice(0, 8)}-${time.slice(8)}-7`;
    }
    clock.randomBytes(random);
    return `${head}${counter.toString(16).padStart(3, "0")}-${tail(random)}`;
  };
}

function tail(random: Uint8Array): string {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = random;
  return `${hex[(a & 0x3f) | 0x80]}${hex[b]}-${hex[c]}${hex[d]}${hex[e]}${hex[f]}${hex[g]}${hex[h]}`;
}
