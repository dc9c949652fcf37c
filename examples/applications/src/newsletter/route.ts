// A route handler, as in app/api/subscribe/route.ts of a Next.js application. It starts a chain and waits a moment for its end.
import { isChainwrightError } from "chainwright";
import { client } from "./client.ts";
import { subscribe } from "./subscribe.ts";

export async function POST(request: Request): Promise<Response> {
  const { email } = (await request.json()) as { readonly email: string };
  try {
    return Response.json(await subscribe(client, email, request.signal));
  } catch (error) {
    if (isChainwrightError(error, "invalid-input")) return Response.json({ error: error.message }, { status: 400 });
    if (isChainwrightError(error, "await-timeout")) return Response.json({ mailed: "soon" }, { status: 202 });
    throw error;
  }
}
