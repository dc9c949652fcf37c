/** The version of the time zones of this runtime, such as "2025b"; a later one is a larger text. Undefined: unknown. */
export function tzVersion(): string | undefined {
  return process.versions["tz"];
}
