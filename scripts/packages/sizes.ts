/**
 * How many KB a tarball may have: what an installation downloads, source maps and declarations among it. About a third more
 * than it had when its line was last touched; a package that needs more gets more here, in a commit that says why.
 */
const limits: Readonly<Record<string, number>> = {
  chainwright: 365,
  "@chainwright/conformance": 420,
  // More than half of it is the web UI.
  "@chainwright/dashboard": 235,
  "@chainwright/nats": 9,
  "@chainwright/otel": 30,
  "@chainwright/postgres": 210,
  "@chainwright/redis": 10,
  "@chainwright/sqlite": 105,
};

/** For a package that has no line of its own yet. */
const otherwise = 500;

export function complaintAboutSize(name: string, bytes: number): string | undefined {
  const limit = limits[name] ?? otherwise;
  return bytes > limit * 1_000 ? `its tarball has ${(bytes / 1_000).toFixed(1)} KB, and may have ${limit}` : undefined;
}
