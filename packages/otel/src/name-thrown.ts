import type { EventError } from "chainwright/adapter";

/** Describes a thrown value of any kind. Returns undefined for a reschedule, which is not a failure. */
export function nameThrown(error: unknown): EventError | undefined {
  try {
    if (!(error instanceof Error)) return { name: "Error", message: String(error) };
    if (error.name === "Reschedule") return undefined;
    const code = error.name === "ChainwrightError" && "code" in error ? error.code : undefined;
    return { name: typeof code === "string" ? code : error.name, message: error.message };
  } catch {
    // The value has getters that throw, or is a revoked proxy.
    return { name: "Error", message: "" };
  }
}
