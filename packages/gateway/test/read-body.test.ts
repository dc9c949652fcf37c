import { expect, it } from "vitest";
import { readBody } from "../src/http/read-body.ts";

async function* hangsUp(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{"worker":');
  throw new Error("aborted");
}

it("a client that hangs up within its body is refused, because it is no failure of the gateway", async () => {
  const reading = readBody(hangsUp(), { bytes: 1_000, ms: 60_000 });
  await expect(reading).rejects.toMatchObject({ status: 400, code: "invalid-request" });
});
