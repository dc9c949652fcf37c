import type { BackendAnswer } from "./broker.ts";
import type { BackendName } from "./provide.ts";

/** Returns the URL of a backend, or `undefined` when this machine has none; with `CI=true` that is an error. */
export async function askBroker(broker: string, name: BackendName): Promise<string | undefined> {
  const response = await fetch(`${broker}/${name}`);
  const answer = (await response.json()) as BackendAnswer;
  if ("url" in answer) return answer.url;
  if (!response.ok || process.env["CI"] === "true") throw new Error(answer.missing);
  return undefined;
}
