import { engineOf } from "../client/internal.ts";
import { checkRemoteOptions, policiesOf, type RemoteOptions } from "./remote-options.ts";
import { assembleRemote } from "./remote.ts";
import type { Remote } from "./types.ts";

/**
 * Creates what claims and settles jobs of a client on behalf of workers elsewhere. It does nothing before `start`.
 *
 * @throws `invalid-input` for unknown or invalid options, and for types that are not declared with `elsewhere: true`;
 * `unknown-job-type`; `closed` when the client is closed
 * @example
 * await using remote = createRemote({ client, elsewhere: { "image.resize": { retry: { maxAttempts: 5 } } } });
 * await remote.start();
 */
export function createRemote(options: RemoteOptions): Remote {
  checkRemoteOptions(options);
  const engine = engineOf(options.client);
  engine.lifetime.assertOpen();
  return assembleRemote(engine, policiesOf(engine, options.elsewhere), options);
}
