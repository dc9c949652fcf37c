/** Frames of packages of this library in an application. */
const installed = /[/\\]node_modules[/\\](?:chainwright|@chainwright[/\\][\w-]+)[/\\]/;
/** Frames of the library's own sources, in a checkout of its repository. */
const ownSource = /[/\\](?:core|postgres|sqlite|redis|nats|sql-transactions)[/\\]src[/\\]/;
const frame = /^\s+at /;

/** The folder with the packages of a checkout; undefined in an application, also in one that was bundled. */
function checkout(): string | undefined {
  const url: unknown = import.meta.url;
  const place = typeof url === "string" ? url.indexOf("/packages/core/src/checks/") : -1;
  return place < 0 ? undefined : import.meta.url.slice("file://".length, place + "/packages/".length);
}

/**
 * A stack with the frames of the application. Runs of frames of this library and of Node.js are replaced by their number, because
 * they hide the place that matters. A stack without a frame of the application is kept as it is, unless the error is the library's own.
 */
export function foldStack(
  stack: string,
  { longest, isOwn }: { readonly longest: number; readonly isOwn: boolean },
): string {
  const begin = stack.indexOf("\n    at ");
  if (begin < 0) return stack;
  const header = stack.slice(0, Math.min(begin, longest / 2));
  const lines = stack.slice(begin + 1, begin + 1 + longest * 2).split("\n");
  const folder = checkout();
  const isInternal = (line: string): boolean => frame.test(line) && isOfLibraryOrNode(line, folder);
  const shown = lines.every(isInternal) && !isOwn ? lines : fold(lines, isInternal);
  return [header, ...shown].join("\n");
}

function fold(lines: readonly string[], isInternal: (line: string) => boolean): readonly string[] {
  const shown: string[] = [];
  let folded = 0;
  for (const line of [...lines, undefined]) {
    if (line !== undefined && isInternal(line)) {
      folded += 1;
      continue;
    }
    if (folded > 0) shown.push(`    ... ${folded} frame${folded === 1 ? "" : "s"} of Chainwright and Node.js`);
    folded = 0;
    if (line !== undefined) shown.push(line);
  }
  return shown;
}

function isOfLibraryOrNode(line: string, folder: string | undefined): boolean {
  if (line.includes("node:") && /(?:\(|at |async )node:/.test(line)) return true;
  if (installed.test(line) || line.endsWith("(<anonymous>)")) return true;
  return folder !== undefined && line.includes(folder) && ownSource.test(line);
}
