import { refuseOtherHosts } from "./http/same-origin.ts";
import type { DashboardOptions, Principal } from "./options.ts";
import { isRole } from "./roles.ts";

/**
 * Who may send requests, and to which hosts: as for `createDashboard`.
 *
 * @example
 * const options: SenderOptions = { authorize, hosts: ["jobs.example.com"] };
 * const sender = await senderOf(new Request("https://jobs.example.com/"), options);
 */
export type SenderOptions = Pick<DashboardOptions, "authorize" | "hosts">;

/**
 * Returns who sent a request, as `authorize` says; null, or a response of the application, refuses it.
 *
 * @throws an error that `refusalOf` knows if the request was not sent to one of `hosts`
 * @example
 * const serve = async (request: Request): Promise<Response> => {
 *   const sender = await senderOf(request, { authorize });
 *   if (sender instanceof Response) return sender;
 *   return sender === null ? new Response(null, { status: 401 }) : Response.json({ role: sender.role });
 * };
 */
export async function senderOf(
  request: Request,
  { authorize, hosts }: SenderOptions,
): Promise<Principal | Response | null> {
  refuseOtherHosts(request, hosts);
  const principal = await authorize(request);
  if (principal === null || principal instanceof Response) return principal;
  return checkPrincipal(principal);
}

/** Checks the role that `authorize` returned. A misspelt role is a mistake of the server, whose text does not reach the browser. */
function checkPrincipal({ role, ...rights }: Principal): Principal {
  if (!isRole(role))
    throw new TypeError(`authorize must return the role viewer, operator or admin; got ${JSON.stringify(role)}`);
  const { name, actions, mayEditInputs, mayActOn } = rights;
  return { role, name, actions, mayEditInputs, mayActOn };
}
