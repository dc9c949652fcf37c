import type { EventError } from "chainwright";

/** Names what a step threw, whatever it was. Undefined for a wish to be called again later, which is no failure. */
export function nameThrown(error: unknown): EventError | undefined {
  try {
    if (!(error instanceof Error)) return { name: "Error", message: String(error) };
    if (error.name === "Reschedule") return undefined;
    const code = error.name === "ChainwrightError" && "code" in error ? error.code : undefined;
    return { name: typeof code === "string" ? code : error.name, message: error.message };
  } catch {
    // Its getters throw, or it is a revoked proxy.
    return { name: "Error", message: "" };
  }
}
