import { createClient, createInProcessNotifyAdapter } from "chainwright";
import type { StateAdapter } from "chainwright/adapter";
import { createGateway, type Gateway } from "../src/create-gateway.ts";
import { createGatewayKey } from "../src/keys.ts";
import { jobTypes } from "./job-types.ts";
import type { GatewayAuditEntry, GatewayFailure, GatewayOptions, GatewayScope } from "../src/options.ts";

const tokenSecrets: readonly string[] = ["a secret of the gateway, 32 characters and more"];
const all: readonly GatewayScope[] = [{ types: ["*"], verbs: ["start", "work", "read", "admin"] }];

export interface StageOptions extends Partial<Omit<GatewayOptions, "client" | "keys">> {
  readonly stateAdapter: StateAdapter;
}

export type Stage = ReturnType<typeof createStage>;

/** What a response says. */
export interface Said {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

/** A gateway, and a client of it that has all rights. */
export function createStage({ stateAdapter, ...options }: StageOptions) {
  const client = createClient({ stateAdapter, notifyAdapter: createInProcessNotifyAdapter(), jobTypes, observers: [] });
  const failures: GatewayFailure[] = [];
  const audited: GatewayAuditEntry[] = [];
  const owner = createGatewayKey({ name: "owner", scopes: all });
  const images = createGatewayKey({
    name: "images",
    scopes: [{ types: ["image.*"], verbs: ["start", "work", "read"] }],
  });
  const reader = createGatewayKey({ name: "reader", scopes: [{ types: ["mail.send"], verbs: ["read"] }] });
  const gateway = createGateway({
    client,
    keys: [owner.key, images.key, reader.key],
    tokenSecrets,
    onError: (failure) => void failures.push(failure),
    audit: (entry) => void audited.push(entry),
    elsewhere: { "image.resize": { retry: { maxAttempts: 3, backoff: { initialMs: 1, jitter: 0 } } } },
    ...options,
  });
  const secrets = { owner: owner.secret, images: images.secret, reader: reader.secret };
  return {
    client,
    gateway,
    failures,
    audited,
    secrets,
    ...callsOf(gateway, secrets.owner),
    as: (who: keyof typeof secrets) => callsOf(gateway, secrets[who]),
    async close() {
      await gateway.close();
      await client.close();
    },
  };
}

type Sent = { readonly headers?: Readonly<Record<string, string>>; readonly signal?: AbortSignal };

function callsOf({ fetch }: Gateway, secret: string) {
  const send = async (method: string, path: string, body?: string, { headers, signal }: Sent = {}): Promise<Said> => {
    const response = await fetch(
      new Request(`http://gateway.test${path}`, {
        method,
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json", ...headers },
        ...(body !== undefined && { body }),
        ...(signal !== undefined && { signal }),
      }),
    );
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text) as Record<string, unknown>, headers: response.headers };
  };
  const post = async (path: string, body: unknown, sent?: Sent): Promise<Said> =>
    await send("POST", path, JSON.stringify(body), sent);
  const start = async (width = 1, more: object = {}): Promise<string> => {
    const { body } = await post("/v1/chains", { chains: [{ typeName: "image.resize", input: { width }, ...more }] });
    return String((body["chains"] as readonly { readonly id: string }[])[0]?.id);
  };
  const claim = async (more: object = {}, sent?: Sent): Promise<readonly ClaimedJob[]> => {
    const asked = { types: ["image.resize"], limit: 1, leaseMs: 30_000, ...more };
    const { body } = await post("/v1/exchange", { claim: asked }, sent);
    return body["jobs"] as readonly ClaimedJob[];
  };
  const claimOne = async (more?: object): Promise<ClaimedJob> => {
    const [job] = await claim(more);
    if (job === undefined) throw new Error("a job was expected");
    return job;
  };
  const settle = async (...outcomes: readonly object[]): Promise<Said> => await post("/v1/exchange", { outcomes });
  return { send, post, start, claim, claimOne, settle };
}

/** A job in a response. */
export interface ClaimedJob {
  readonly token: string;
  readonly id: string;
  readonly attempt: number;
  readonly input: unknown;
}
