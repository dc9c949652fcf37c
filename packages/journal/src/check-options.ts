import { ChainwrightError } from "chainwright";
import { checkKeys } from "chainwright/adapter";
import type { JournalDurability, JournalStateAdapterOptions } from "./options.ts";

const keys = {
  folder: true,
  durability: true,
  onProgress: true,
  onCut: true,
  clock: true,
} satisfies Record<keyof JournalStateAdapterOptions, true>;

const longestIntervalMs = 60_000;

/** The options with their defaults. */
export function checkOptions(
  options: JournalStateAdapterOptions,
): JournalStateAdapterOptions & { readonly durability: JournalDurability } {
  checkKeys(options, keys, "createJournalStateAdapter");
  const { folder, durability = "full" } = options;
  if (typeof folder !== "string" || folder === "")
    throw invalid(`folder must be the path of a folder; got ${typeof folder === "string" ? "none" : typeof folder}`);
  if (durability === "full" || durability === "memory") return { ...options, durability };
  const intervalMs: unknown = typeof durability === "object" ? durability?.intervalMs : undefined;
  if (typeof intervalMs !== "number" || !(intervalMs >= 1 && intervalMs <= longestIntervalMs))
    throw invalid(`durability must be "full", "memory" or { intervalMs } with 1 to ${longestIntervalMs} milliseconds`);
  return { ...options, durability: { intervalMs } };
}

function invalid(message: string): ChainwrightError {
  return new ChainwrightError("invalid-input", message);
}
