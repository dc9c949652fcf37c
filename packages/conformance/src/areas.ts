import { ChainwrightError } from "chainwright";

/** The areas that were asked for: all of them, unless some are named. */
export function chosenAreas(areas: readonly string[], asked: readonly string[] | undefined): ReadonlySet<string> {
  if (asked === undefined) return new Set(areas);
  const list = areas.map((area) => `"${area}"`).join(", ");
  const unknown = asked.filter((area) => !areas.includes(area));
  if (unknown.length === 0 && asked.length > 0) return new Set(asked);
  const got = asked.length === 0 ? "an empty list" : unknown.map((area) => `"${area}"`).join(", ");
  throw new ChainwrightError("invalid-input", `areas must be some of ${list}; got ${got}.`);
}
