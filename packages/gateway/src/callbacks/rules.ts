import { ChainwrightError } from "chainwright";
import ipaddr from "ipaddr.js";

/**
 * Where callbacks may go. Give the gateway and the processors the same.
 *
 * @example
 * const rules: CallbackRules = { hosts: ["hooks.example.com", "*.example.org", "partner.example:8443"] };
 */
export interface CallbackRules {
  /** Names of hosts, with their port if it is not the usual one; `*.` before a name allows all names below it. */
  readonly hosts: readonly string[];
  /** Whether http is allowed too, for receivers in a network of your own. Default: only https. */
  readonly allowHttp?: boolean | undefined;
  /** Whether a host may have a private address, such as 10.0.0.1 or that of this machine. Default: no. */
  readonly allowPrivate?: boolean | undefined;
}

const longestUrl = 2_000;

/** Why a callback may not go to a URL, as the end of a sentence that begins with it. Undefined: it may. */
export function whyRefused(text: string, { hosts, allowHttp = false, allowPrivate = false }: CallbackRules) {
  if (text.length > longestUrl) return `must have at most ${longestUrl} characters`;
  if (!URL.canParse(text)) return "must be an absolute URL";
  const url = new URL(text);
  if (url.protocol !== "https:" && !(allowHttp && url.protocol === "http:")) return "must be an https URL";
  if (url.username !== "" || url.password !== "") return "must have no user name or password";
  if (!hosts.some((host) => fits(host.toLowerCase(), url.host))) return "must have an allowed host";
  const literal = url.hostname.replace(/^\[|\]$/g, "");
  if (ipaddr.isValid(literal) && !allowPrivate && !isPublic(literal)) return "must not have a private address";
  return undefined;
}

/** Whether an address is one of the internet: no private, local, mapped, reserved or multicast one. */
export function isPublic(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === "unicast";
}

/** Refuses rules that cannot be meant. */
export function checkRules({ hosts }: CallbackRules): void {
  const isHost = (host: unknown): boolean => typeof host === "string" && /^(\*\.)?[^\s*/@?#]+$/u.test(host);
  if (Array.isArray(hosts) && hosts.length > 0 && hosts.every(isHost)) return;
  throw new ChainwrightError(
    "invalid-input",
    'hosts must be an array of names of hosts, such as ["hooks.example.com"]; "*.example.com" allows all names below it.',
  );
}

function fits(pattern: string, host: string): boolean {
  return pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) && host.length >= pattern.length : host === pattern;
}
