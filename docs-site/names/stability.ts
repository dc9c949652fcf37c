/** What the names of a door promise. */
export interface Stability {
  readonly name: "stable" | "for authors";
  readonly meaning: string;
}

const stable: Stability = {
  name: "stable",
  meaning: "From 1.0 on, code that uses these names compiles and works until the next major version.",
};

const forAuthors: Stability = {
  name: "for authors",
  meaning:
    "For authors of adapters, drivers and brokers. A minor version may change these names; the version of a port then grows, and " +
    "`createClient` refuses an adapter of another one. New cases of the suites may fail an adapter that passed the old ones.",
};

const authors: ReadonlySet<string> = new Set([
  "chainwright/adapter",
  "chainwright/notify-channel",
  "@chainwright/conformance",
]);

export function stabilityOf(door: string): Stability {
  return authors.has(door) ? forAuthors : stable;
}
