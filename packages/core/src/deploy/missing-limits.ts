import type { Engine } from "../engine/engine.ts";
import type { Found } from "./report.ts";

/** Limits that keys are in use of and that the client does not have: what this code starts would pass them. */
export async function findMissingLimits({ state, types, callOptions }: Engine): Promise<readonly Found[]> {
  const declared = await state.listLimitDeclarations(callOptions());
  const found: Found[] = [];
  for (const { limit } of declared) {
    if (types.limits.has(limit)) continue;
    const [used] = await state.listLimits({ limitName: limit, limit: 1 }, callOptions());
    if (used === undefined) continue;
    const message = `The limit "${limit}" is in use, and this code does not have it: jobs that it starts are not under it. Give createClient the limits that declare it, or expect that.`;
    found.push({ code: "limit-missing", message, details: { limit } });
  }
  return found;
}
