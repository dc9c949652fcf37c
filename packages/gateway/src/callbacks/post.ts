import { lookup } from "node:dns";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { FatalError } from "chainwright";
import { isPublic, whyRefused, type CallbackRules } from "./rules.ts";

interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly rules: CallbackRules;
  readonly signal: AbortSignal;
}

/**
 * Sends a body and returns the status of the response. Redirects are not followed, and nothing of the response is read but its head,
 * which node:http limits. The addresses of the host are checked by the connection that uses them, so a second look-up cannot differ.
 *
 * @throws FatalError if the URL, or the address of its host, is not allowed
 */
export async function post({ url, headers, body, rules, signal }: Message): Promise<number> {
  const refused = whyRefused(url, rules);
  if (refused !== undefined) throw new FatalError(`The URL of the callback ${refused}.`);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const options = {
    method: "POST",
    headers: { ...headers, "content-length": Buffer.byteLength(body) },
    agent: false,
    signal,
    lookup: rules.allowPrivate === true ? lookup : publicLookup,
  };
  const sent = new URL(url).protocol === "https:" ? requestHttps(url, options) : requestHttp(url, options);
  sent.on("response", (response) => {
    resolve(response.statusCode ?? 0);
    response.destroy();
  });
  sent.on("error", reject);
  sent.end(body);
  return await promise;
}

/** Finds the addresses of a host. One that is not public refuses them all. */
const publicLookup: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, found) => {
    if (error !== null) return done(error, "");
    const [first] = found;
    if (first === undefined || !found.every(({ address }) => isPublic(address)))
      return done(new FatalError("The host of the callback has a private address."), "");
    if (options.all === true) return done(null, found);
    return done(null, first.address, first.family);
  });
};
