import { expect, it } from "vitest";
import { Webhook } from "standardwebhooks";
import { createCallbackSecret } from "../src/callbacks/index.ts";
import { checkRules, isPublic, whyRefused } from "../src/callbacks/rules.ts";
import { checkSecrets, signedHeaders } from "../src/callbacks/sign.ts";

const hosts = ["hooks.example.com", "*.example.org", "partner.example:8443", "127.0.0.1", "[::1]"];

it.each([
  "https://hooks.example.com/orders?x=1",
  "https://HOOKS.example.com/",
  "https://hooks.example.com:443/",
  "https://a.example.org/",
  "https://a.b.example.org/",
  "https://partner.example:8443/",
])("a callback may go to %s", (url) => {
  expect(whyRefused(url, { hosts })).toBeUndefined();
});

it.each([
  ["http://hooks.example.com/", "https"],
  ["ftp://hooks.example.com/", "https"],
  ["file:///etc/passwd", "https"],
  ["javascript:alert(1)", "https"],
  ["/orders", "absolute"],
  ["https://ada:secret@hooks.example.com/", "password"],
  ["https://hooks.example.com@evil.example/", "password"],
  ["https://hooks.example.com:8443/", "allowed host"],
  ["https://partner.example/", "allowed host"],
  ["https://example.org/", "allowed host"],
  ["https://evilexample.org/", "allowed host"],
  ["https://hooks.example.com.evil.example/", "allowed host"],
  ["https://hooks.example.com./", "allowed host"],
  ["https://127.0.0.1/", "private"],
  ["https://2130706433/", "private"],
  ["https://0x7f.1/", "private"],
  ["https://[::1]/", "private"],
  [`https://hooks.example.com/${"x".repeat(2_000)}`, "characters"],
])("a callback may not go to %s", (url, why) => {
  expect(whyRefused(url, { hosts })).toContain(why);
});

it("http and private addresses are allowed only by name", () => {
  const loose = { hosts, allowHttp: true, allowPrivate: true };
  expect(whyRefused("http://127.0.0.1/", loose)).toBeUndefined();
  expect(whyRefused("http://10.0.0.1/", loose)).toContain("allowed host");
});

it.each([
  "127.0.0.1",
  "10.1.2.3",
  "172.16.0.1",
  "192.168.1.1",
  "169.254.169.254",
  "100.64.0.1",
  "0.0.0.0",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:10.0.0.1",
  "::ffff:7f00:1",
  "64:ff9b::a00:1",
  "2002:a00:1::",
  "fc00::1",
  "fe80::1",
  "ff02::1",
  "not an address",
])("%s is no address of the internet", (address) => {
  expect(isPublic(address)).toBe(false);
});

it.each(["93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34"])("%s is one", (address) => {
  expect(isPublic(address)).toBe(true);
});

it("rules without hosts, or with URLs as hosts, are refused", () => {
  for (const wrong of [[], ["https://hooks.example.com"], [""], ["a b"], ["*"], undefined, "hooks.example.com"])
    expect(() => checkRules({ hosts: wrong as never })).toThrow("hosts must be");
});

// The example of the specification of Standard Webhooks.
it("signatures are those of the specification", () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const message = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330, body: '{"test": 2432232314}' };
  expect(signedHeaders(message, [secret])).toEqual({
    "webhook-id": message.id,
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

it("a message with the signatures of two secrets is verified by receivers with either, and by no other", () => {
  const [old, next, other] = [createCallbackSecret(), createCallbackSecret(), createCallbackSecret()];
  const body = '{"type":"chain.completed"}';
  const headers = signedHeaders({ id: "e", timestamp: Math.floor(Date.now() / 1_000), body }, [next, old]);
  for (const secret of [old, next]) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => new Webhook(other).verify(body, headers)).toThrow("No matching signature");
  expect(() => new Webhook(old).verify(`${body} `, headers)).toThrow("No matching signature");
});

it.each(["whsec_c2hvcnQ=", "whsec_not base64 but quite long enough", "c2VjcmV0"])(
  "%s is no secret, and is not shown",
  (wrong) => {
    expect(() => checkSecrets([wrong])).toThrow(/^(?!.*(?:c2hvcnQ|not base64|c2VjcmV0)).*secrets must be/);
  },
);

it("an empty text is no secret, and a number is none", () => {
  for (const wrong of ["", "whsec_", 7 as never]) expect(() => checkSecrets([wrong])).toThrow("secrets must be");
});
