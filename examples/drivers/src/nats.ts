// Wakes workers through NATS.
import { createNatsNotifyAdapter } from "@chainwright/nats";
import { connect } from "@nats-io/transport-node";
import { wakeUpThrough } from "./wake-up.ts";

const connection = await connect({ servers: process.env["NATS_URL"] ?? "localhost", maxReconnectAttempts: -1 });

// One for each process.
const notifyAdapter = () => createNatsNotifyAdapter({ connection, subjectPrefix: "example" });
await wakeUpThrough(notifyAdapter(), notifyAdapter());

await connection.close();
