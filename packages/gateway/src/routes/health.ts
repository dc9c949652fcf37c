import type { Context } from "../context.ts";
import { json, type Reply } from "../http/message.ts";

const anyId = "00000000-0000-7000-8000-000000000000";
const limitMs = 5_000;

/** Whether the store responds. */
export async function health({ client }: Context): Promise<Reply> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  const looked = client.getChain({ id: anyId }).then(
    () => true,
    () => false,
  );
  const isWell = await Promise.race([looked, late]);
  clearTimeout(timer);
  return isWell ? json({ status: "ok" }) : json({ status: "store-unavailable" }, 503, { "retry-after": "1" });
}
