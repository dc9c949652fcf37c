/** Not the application's own: packages, Node.js, built-in functions, and the place of a promise among others, which differs each time. */
const foreign = /node_modules|node:|<anonymous>|^(?:async )?Promise\.\w+ \(index \d+\)$/;
/** In UTF-16 units. No place in code has a longer one, and to split a frame takes longer than its length. */
const longestFrame = 1_000;

/** The first frame of a stack that is the application's own: `charge (charge.ts)`. Lines move with each deployment, so they do not count. */
export function ownFrame(stack: string | undefined): string | undefined {
  // Frames are indented; a line of the message that begins with "at" is not. They are read until one is the application's own.
  for (const [, frame = ""] of stack?.matchAll(/^[ \t]+at (.+)$/gm) ?? []) {
    if (frame.length <= longestFrame && !foreign.test(frame)) return placeOf(frame);
  }
  return undefined;
}

function placeOf(frame: string): string {
  const [, name, place] = /^(?:async )?(?:(.*?) \()?(.*?)(?::\d+){0,2}\)?$/.exec(frame) ?? [];
  const file = place?.split(/[/\\]/).at(-1) ?? "";
  return name === undefined ? file : `${name} (${file})`;
}
