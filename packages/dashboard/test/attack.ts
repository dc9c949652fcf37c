import type { Stage } from "./stage.ts";

/** Everything that an unauthorised client can read: status, headers and body. */
export async function textOf(response: Response): Promise<string> {
  return `${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`;
}

/** Starts an order that fails, and returns its chain id. */
export async function failedOrder(stage: Stage): Promise<string> {
  const { id } = await stage.order("1", 0);
  await stage.work();
  return id;
}
