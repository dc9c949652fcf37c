/**
 * For programs that run jobs of a client on behalf of workers elsewhere, such as the HTTP gateway: claims with a long poll, outcomes,
 * renewals. It serves as a worker of the client does, with the same events, hints, validation and retries.
 *
 * @module
 */
export { createRemote } from "./create-remote.ts";
export { definitionsOf } from "./definitions-of.ts";
export type { JobTypeDefinition } from "../model/job-type.ts";
export type { ElsewhereOptions, RemoteOptions } from "./remote-options.ts";
export type {
  Remote,
  RemoteClaim,
  RemoteExchange,
  RemoteJob,
  RemoteLease,
  RemoteNext,
  RemoteOutcome,
  RemoteRenewal,
  RemoteReply,
  RemoteResult,
  UnrenewedRemote,
} from "./types.ts";
