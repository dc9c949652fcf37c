import { invalid, show } from "./check-options.ts";

/** An adapter must be written for the port of this version of the library, because the engine calls it without further checks. */
export function checkPortVersion(
  adapter: { readonly portVersion: number },
  name: "stateAdapter" | "notifyAdapter",
  version: number,
): void {
  const given: unknown = adapter.portVersion;
  if (given === version) return;
  const update =
    typeof given === "number" && given > version
      ? `Update chainwright: it is older than the package of the ${name}.`
      : `Update the package of the ${name}: it is older than chainwright.`;
  throw invalid(`${name}.portVersion must be ${version}; got ${show(given)}. ${update}`);
}
