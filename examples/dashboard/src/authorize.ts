import { createHash, timingSafeEqual } from "node:crypto";

/** Replaces the application's own sessions: the browser asks for a name and a password. */
const expected = digestOf(`Basic ${Buffer.from(`ada:${process.env["PASSWORD"] ?? "change me"}`).toString("base64")}`);

/** Decides who may see and do what. Without a role from here nothing is shown. */
export function authorize(request: Request): Response | { role: "operator"; name: string } {
  const given = digestOf(request.headers.get("authorization") ?? "");
  if (timingSafeEqual(given, expected)) return { role: "operator", name: "Ada" };
  return new Response("Please sign in.", { status: 401, headers: { "www-authenticate": 'Basic realm="jobs"' } });
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
