// Names that the examples of docstrings may use, in addition to every name that the packages export.
import {
  createClient,
  createProcessors,
  createWorker,
  defineJobTypes,
  type ChainwrightEvent,
  type HandlerContext,
  type Job,
  type NotifyAdapter,
  type StateAdapter,
} from "chainwright";
import type { ClaimedJob, Hint, JobStart, Outcome } from "chainwright/adapter";
import type { Authorize, Dashboard, Principal } from "@chainwright/dashboard";
import { createRemote, type RemoteLease } from "chainwright/remote";
import { createGateway, createGatewayKey } from "@chainwright/gateway";
import { createCallbackSecret } from "@chainwright/gateway/callbacks";
import { createSignalLinks } from "chainwright/signal-links";
import type { ChannelListener, MessageChannel } from "chainwright/notify-channel";
import { createPostgresStateAdapter, type PostgresDriver } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import type { SqliteDatabase } from "@chainwright/sqlite";
import type { Kysely } from "kysely";
import { Pool, type PoolClient } from "pg";
import type { PrismaClient } from "./prisma-client.ts";

type Shop = {
  "order.place": { entry: true; input: { orderId: string }; continueWith: "order.charge" };
  "order.charge": {
    entry: true;
    input: { orderId: string; cents: number };
    output: { receipt: string };
    blockers: [..."stock.reserve"[]];
  };
  "stock.reserve": { entry: true; input: { sku: string }; output: { reserved: number } };
  "order.approve": {
    input: { cents: number };
    signals: { approved: { by: string }; rejected: { by: string } };
    output: { paid: boolean };
  };
  "reminder.send": { entry: true; input: { to: string }; output: { sent: boolean } };
};
export const jobTypes = defineJobTypes<Shop>();
export const orderJobTypes = defineJobTypes<Shop>();
export const mailJobTypes = defineJobTypes<{
  "mail.send": { entry: true; input: { to: string }; output: { sent: boolean } };
}>();
export const stockJobTypes = defineJobTypes<{
  "stock.reserve": { entry: true; input: { sku: string }; output: { reserved: number } };
  "order.charge": { entry: true; input: { orderId: string; cents: number }; output: { receipt: string } };
}>();

export const pool = new Pool();
export const stateAdapter = createPostgresStateAdapter({ driver: pg(pool) });
export const client = createClient({ stateAdapter, jobTypes: [jobTypes, mailJobTypes] });
export const remote = createRemote({ client });
export declare const lease: RemoteLease;
export const key = createGatewayKey({ name: "resizer", scopes: [] }).key;
export const secret = createCallbackSecret();
export const gateway = createGateway({ client, keys: [key], tokenSecrets: ["a secret of at least 32 characters"] });
export const orderProcessors = createProcessors({
  client,
  jobTypes,
  processors: {
    "order.place": async ({ job, continueWith }) =>
      continueWith({
        typeName: "order.charge",
        input: { orderId: job.input.orderId, cents: 100 },
        blockers: [],
      }),
    "order.charge": async () => ({ receipt: "r-1" }),
    "order.approve": async ({ job }) => ({ paid: job.received?.signal === "approved" }),
    "stock.reserve": async () => ({ reserved: 1 }),
    "reminder.send": async () => ({ sent: true }),
  },
});
export const mailProcessors = createProcessors({
  client,
  jobTypes: mailJobTypes,
  processors: { "mail.send": async () => ({ sent: true }) },
});
export const worker = createWorker({ client, processors: [orderProcessors, mailProcessors] });
export const links = createSignalLinks({ client, secrets: [process.env["LINK_SECRET"]], basePath: "/answer" });
export declare const notifyAdapter: NotifyAdapter;

export declare const id: string;
export declare const ids: readonly string[];
export declare const parcelId: string;
export declare const delivery: { readonly id: string };
export declare const chain: { readonly id: string; readonly typeName: "order.place" };
export declare const orderId: string;
export declare const to: string;
export declare const connectionString: string;
export declare const order: { readonly id: string } | undefined;
export declare const job: Job<"order.charge", { orderId: string; cents: number }, readonly []>;
export declare const complete: HandlerContext<
  typeof job,
  PoolClient,
  { receipt: string },
  (step: { typeName: "order.ship"; input: { orderId: string } }) => never
>["complete"];
export declare const event: ChainwrightEvent;
export declare const hint: Hint;
export declare const outcome: Outcome;
export declare const claimed: ClaimedJob;
export declare const jobStart: JobStart;
export declare const driver: PostgresDriver<PoolClient>;
export declare const listener: ChannelListener;

export declare function sessionOf(
  request: Request | string | null,
): Promise<{ readonly isAdmin: boolean; readonly email: string } | undefined>;
export declare const dashboard: Dashboard;
export declare const authorize: Authorize;
export declare const app: {
  use(path: string, listener: object): void;
  mount(path: string, handler: (request: Request) => Promise<Response>): void;
  all(path: string, handler: (context: { readonly req: { readonly raw: Request } }) => Promise<Response>): void;
};
export declare function roleOf(request: Request): Promise<Principal | null>;
export declare const auditLog: { write(line: string): Promise<void> };
export declare const kysely: Kysely<unknown>;
/** Replaces the client that Prisma generates. */
export declare const prisma: PrismaClient;
export declare const alerts: { send(text: string): void };
export declare const logger: Logger & { child(fields: object): Logger };
export declare const mailer: {
  send(mail: { to: string }, options: { signal: AbortSignal; idempotencyKey: string }): Promise<void>;
};
export declare const warehouse: { reserve(sku: string): Promise<number> };
export declare function charge(tx: PoolClient, order: { readonly orderId: string }): Promise<{ receipt: string }>;
export declare function createMyStateAdapter(): StateAdapter;
export declare function createMyNotifyAdapter(): NotifyAdapter;
export const createAdapter = async () => ({ adapter: createMyNotifyAdapter(), close: async () => {} });
export declare function mqttChannel(mqtt: MqttClient, topic: string): MessageChannel;
export declare function createBounded(size: number): (value: string) => string;
export declare function wrap(database: MyDatabase): SqliteDatabase<MyDatabase>;

export interface Logger {
  warn(error: unknown): void;
  info(text: string): void;
}

export interface MqttClient {
  publish(topic: string, message: string): Promise<void>;
}

export interface MyDatabase {
  exec(sql: string): void;
}
export declare const MyDatabase: new (file: string) => MyDatabase;
