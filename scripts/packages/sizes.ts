/**
 * How many KB a tarball may have: what an installation downloads, source maps and declarations among it. About a fifth more
 * than it had when its line was last touched; a package that needs more gets more here, in a commit that says why.
 */
const limits: Readonly<Record<string, number>> = {
  // Three quarters of it are the conformance suites, for whoever writes an adapter.
  chainwright: 490,
  "@chainwright/nats": 8,
  "@chainwright/otel": 26,
  "@chainwright/postgres": 105,
  "@chainwright/redis": 9,
  "@chainwright/sqlite": 92,
};

/** For a package that has no line of its own yet. */
const otherwise = 400;

export function complaintAboutSize(name: string, bytes: number): string | undefined {
  const limit = limits[name] ?? otherwise;
  return bytes > limit * 1_000 ? `its tarball has ${(bytes / 1_000).toFixed(1)} KB, and may have ${limit}` : undefined;
}
