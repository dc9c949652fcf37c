/**
 * The largest size of each tarball in KB, including source maps and declarations. A limit is about a third more than the size
 * when its line last changed; to raise it, explain the reason in the commit.
 */
const limits: Readonly<Record<string, number>> = {
  // A seventh is croner, inside chainwright/schedules, and the maps.
  chainwright: 1_050,
  // Half of it are the maps.
  "@chainwright/cli": 130,
  "@chainwright/conformance": 940,
  // More than half of it is the web UI.
  "@chainwright/dashboard": 260,
  "@chainwright/gateway": 90,
  "@chainwright/mcp": 40,
  "@chainwright/journal": 60,
  "@chainwright/nats": 9,
  "@chainwright/otel": 40,
  // More than half of it are the maps. Each rule is SQL text, and the rules of limits, pauses, waits and failures are many.
  "@chainwright/postgres": 500,
  "@chainwright/redis": 10,
  "@chainwright/sqlite": 285,
};

/** The limit for a package without a line. */
const otherwise = 500;

export function complaintAboutSize(name: string, bytes: number): string | undefined {
  const limit = limits[name] ?? otherwise;
  return bytes > limit * 1_000
    ? `its tarball must have at most ${limit} KB; got ${(bytes / 1_000).toFixed(1)} KB`
    : undefined;
}
