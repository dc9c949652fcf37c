import type { Mutant } from "../mutant.ts";

/** Keep callbacks from going where they must not, and from being lost, forged or told twice under two ids. */
export const callbackMutants: readonly Mutant[] = [
  {
    name: "callbacks: only https",
    in: "gateway:whyRefused",
    find: 'url.protocol !== "https:" && !(allowHttp && url.protocol === "http:")',
    replace: "false",
  },
  {
    name: "callbacks: only to allowed hosts",
    in: "gateway:whyRefused",
    find: "!hosts.some((host) => fits(host.toLowerCase(), url.host))",
    replace: "false",
  },
  {
    name: "callbacks: not to a private address in the URL",
    in: "gateway:whyRefused",
    find: "ipaddr.isValid(literal) && !allowPrivate && !isPublic(literal)",
    replace: "false",
  },
  {
    name: "callbacks: not to a host whose name leads to a private address",
    in: "gateway:publicLookup",
    find: "first === undefined || !found.every(({ address }) => isPublic(address))",
    replace: "first === undefined",
  },
  {
    name: "callbacks: the certificate of the receiver is verified",
    in: "gateway:post",
    find: "agent: false,",
    replace: "agent: false, rejectUnauthorized: false,",
  },
  {
    name: "callbacks: none without its chain",
    in: "gateway:addCallback",
    find: "client.startChains({ tx, items:",
    replace: "client.startChains({ items:",
  },
  {
    name: "callbacks: one for a chain and a URL",
    in: "gateway:callbackStart",
    find: 'deduplication: { key: `${callbackName}:${chainId}:${url}`, scope: "any" },',
    replace: "",
  },
  {
    name: "callbacks: each attempt has the same id",
    in: "gateway:createDelivery",
    find: "signedHeaders({ id, timestamp,",
    replace: "signedHeaders({ id: crypto.randomUUID(), timestamp,",
  },
  {
    name: "callbacks: a receiver has a limit of time",
    in: "gateway:createDelivery",
    find: "AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])",
    replace: "signal",
  },
  {
    name: "callbacks: a redirect is no delivery",
    in: "gateway:createDelivery",
    find: "status >= 200 && status < 300",
    replace: "status >= 200 && status < 400",
  },
];
