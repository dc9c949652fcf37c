import type { ChainId } from "../model/ids.ts";
import type { Client } from "../types/client.ts";
import type { Computed, TypeIn } from "../types/computed.ts";
import type { AnyEnv } from "../types/env.ts";
import type { ByChainId } from "../types/list-options.ts";
import type { At } from "../types/table.ts";
import type { SignalLinkView } from "./view.ts";

/**
 * What {@link createSignalLinks} takes.
 *
 * @example
 * type AppEnv = typeof client extends Client<infer E> ? E : never;
 * const options: SignalLinksOptions<AppEnv> = { client, secrets: [process.env["LINK_SECRET"]], basePath: "/answer" };
 */
export interface SignalLinksOptions<in out E extends AnyEnv> {
  readonly client: Client<E>;
  /**
   * Random texts of at least 22 characters, the same in all processes. The first one signs, and links that any of them has signed are
   * accepted: to replace a secret, put the new one first, and remove the old one when its links have expired.
   */
  readonly secrets: readonly (string | undefined)[];
  /** The path below which `fetch` is mounted. */
  readonly basePath: string;
  /** Returns a sentence for the page: what the button does, as plain text. */
  readonly describe?: ((linked: LinkedSignalOf<E>) => string) | undefined;
  /**
   * Returns the whole page instead of the one that comes with the library: HTML without scripts. While `state` is `ask` it needs a
   * `<form method="post">` with a button.
   */
  readonly render?: ((view: SignalLinkView) => string) | undefined;
}

/** The links of an application. */
export interface SignalLinks<in out E extends AnyEnv> {
  /**
   * Returns the path of a link, `basePath` included.
   *
   * @throws `invalid-input`, such as for a payload that makes the link longer than 2,000 characters
   * @example
   * const payload = { by: "Grace" };
   * const link = { id, typeName: "order.approve", signal: "approved", payload, expiresInMs: 86_400_000 } as const;
   * const url = await links.url(link);
   */
  readonly url: SignalUrl<E>;
  /**
   * Returns the paths of several links of which only one can be used, such as one to approve and one to reject.
   *
   * @throws `invalid-input`
   * @example
   * const { yes, no } = await links.urls({
   *   id,
   *   typeName: "order.approve",
   *   expiresInMs: 86_400_000,
   *   choices: { yes: { signal: "approved", payload: { by: "Grace" } }, no: { signal: "rejected", payload: { by: "Grace" } } },
   * });
   */
  readonly urls: SignalUrls<E>;
  /**
   * Serves the links. It takes the last segment of the path, so it may be mounted by a router that removes `basePath` and by one that
   * does not. It reads nothing of the request's body.
   */
  readonly fetch: (request: Request) => Promise<Response>;
}

/**
 * The call `url` of the links of a client, such as a module may export by itself.
 *
 * @example
 * type AppEnv = typeof client extends Client<infer E> ? E : never;
 * const url: SignalUrl<AppEnv> = links.url;
 */
export type SignalUrl<in out E extends AnyEnv> = {
  <const Name extends E["names"], Of extends Computed<unknown> = Computed<LinkedBy<E["types"], Name>>>(
    link: LinkTo<Name> & NoInfer<TypeIn<Of, Name>>,
  ): Promise<string>;
};

/**
 * The call `urls` of the links of a client, such as a module may export by itself.
 *
 * @example
 * type AppEnv = typeof client extends Client<infer E> ? E : never;
 * const urls: SignalUrls<AppEnv> = links.urls;
 */
export type SignalUrls<in out E extends AnyEnv> = {
  <const Name extends E["names"], const Choice extends string>(
    links: LinkTo<Name> & { readonly choices: { readonly [Key in Choice]: LinkedBy<E["types"], Name> } },
  ): Promise<{ readonly [Key in Choice]: string }>;
};

interface LinkTo<out Name> extends ByChainId {
  /** The type of the step that takes the signal. */
  readonly typeName: Name;
  readonly expiresInMs: number;
}

/** A signal and its payload, of a link. */
interface Linked<out Signal, out Payload> {
  readonly signal: Signal;
  readonly payload: Payload;
}

type LinkedBy<Types, Name extends PropertyKey> = At<LinkedTo<Types>, Name>;

type LinkedTo<Types> = {
  [Name in keyof Types]: "signals" extends keyof Types[Name] ? LinkedOf<Types[Name]["signals"]> : never;
};

type LinkedOf<Signals> = { [Name in keyof Signals]: Linked<Name, Signals[Name]> }[keyof Signals];

/** The signal of a link of a client: a union that `typeName` and `signal` narrow. */
export type LinkedSignalOf<E extends AnyEnv> = {
  [Name in keyof E["types"]]: LinkedTo<E["types"]>[Name] & {
    readonly id: ChainId;
    readonly typeName: Name;
    readonly expiresAt: number;
  };
}[keyof E["types"]];
