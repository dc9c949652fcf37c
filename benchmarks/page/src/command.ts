import type { Piece } from "./results.ts";
import { sh } from "./text.ts";

/** The command that wrote a piece. */
export function command(tool: string, { options = [] }: Piece<unknown>): string {
  const quoted = options.map((option) => (/[^\w.,:/-]/.test(option) ? `"${option}"` : option));
  return sh([`npm run bench:${tool}`, ...(quoted.length > 0 ? ["--", ...quoted] : [])].join(" "));
}
