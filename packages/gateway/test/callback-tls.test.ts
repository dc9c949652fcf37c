import { afterEach, expect, it } from "vitest";
import { createCallbackStage, sharedStores, type Ends } from "./callback-stage.ts";
import { createCertificate, type Certificate } from "./certificates.ts";
import { createReceiver, status } from "./receiver.ts";

const ends: Ends = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

const trusting = ({ path }: Certificate) => ({ NODE_EXTRA_CA_CERTS: path });
/** Of a process that trusts no certificate of the tests, whatever the environment. */
const trustingNone = { NODE_EXTRA_CA_CERTS: "" };

/** A receiver with a certificate, and a process that makes one attempt to deliver a callback to it. */
async function createStage(host: "here" | "elsewhere") {
  const certificate = await createCertificate(host);
  ends.push(certificate.remove);
  const [store] = sharedStores;
  if (store === undefined) throw new Error("a store was expected");
  const { client, receiver, runOther } = await createCallbackStage(ends, store.placeOf, certificate);
  /** How the delivery ends. */
  const deliver = async (env: Readonly<Record<string, string>>) => {
    const child = runOther({ fails: false, delivers: true, once: true }, env);
    await child.begun;
    const { items } = await client.listChains({ typeName: "gateway.callback" });
    const [callback] = items;
    if (callback === undefined) throw new Error("a callback was expected");
    const { output } = await client.awaitChain({ id: callback.id, typeName: "gateway.callback" });
    const delivery = { id: output.deliveryId, typeName: "gateway.callback-delivery" as const };
    await client.awaitChain(delivery).catch(() => undefined);
    return await client.getChain(delivery);
  };
  return { certificate, receiver, deliver };
}

it("a callback goes to a receiver whose certificate is trusted", async () => {
  const { certificate, receiver, deliver } = await createStage("here");
  expect(await deliver(trusting(certificate))).toMatchObject({ status: "completed", output: { result: "delivered" } });
  expect(receiver.received.map(({ event }) => event.type)).toEqual(["chain.completed"]);
});

it.each([
  {
    what: "that no one signed who is trusted",
    host: "here",
    isTrusted: false,
    error: /self-signed certificate/,
  },
  {
    what: "of another host",
    host: "elsewhere",
    isTrusted: true,
    error: /does not match certificate/,
  },
] as const)("a receiver with a certificate $what gets nothing", async ({ host, isTrusted, error }) => {
  const { certificate, receiver, deliver } = await createStage(host);
  const ended = await deliver(isTrusted ? trusting(certificate) : trustingNone);
  expect(ended).toMatchObject({ status: "failed", error: { message: expect.stringMatching(error) as unknown } });
  expect([...receiver.received, ...receiver.refused]).toEqual([]);
});

it("a redirect from https to http is not followed", async () => {
  const { certificate, receiver, deliver } = await createStage("here");
  const other = await createReceiver("whsec_c2VjcmV0IG9mIHRoZSBvdGhlciByZWNlaXZlcg==");
  ends.push(other.close);
  receiver.replies.push(status(307, { location: other.url }));
  const ended = await deliver(trusting(certificate));
  expect(ended).toMatchObject({
    status: "failed",
    error: { message: expect.stringContaining("replied 307") as unknown },
  });
  expect(receiver.received).toHaveLength(1);
  expect([...other.received, ...other.refused]).toEqual([]);
});
