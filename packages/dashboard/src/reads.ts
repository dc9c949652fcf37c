/**
 * What the dashboard's pages read, as functions, for another door to the same views.
 *
 * @module
 */
export { createReads, type Reads, type ReadsOptions } from "./create-reads.ts";
export { readJson } from "./http/read-body.ts";
export { refusalOf } from "./http/refusal.ts";
export { refuseOtherOrigins } from "./http/same-origin.ts";
export { senderOf, type SenderOptions } from "./sender.ts";
