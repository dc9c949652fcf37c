import { randomBytes, timingSafeEqual } from "node:crypto";
import { textResponse } from "./text-response.ts";

/** Signs in by a link that works once; it sets a cookie that is valid as long as its secret. */
export interface SignIn {
  /** The link's path and query. */
  readonly link: string;
  /** The response to a request for the link; undefined for every other request. */
  enter(request: Request): Response | undefined;
  isSignedIn(request: Request): boolean;
}

const parameter = "sign-in";

/**
 * @param port distinguishes the cookies of several dashboards on one machine, because cookies are not bound to a port
 * @param session the secret in the cookie
 */
export function createSignIn(port: number, session = randomBytes(32).toString("base64url")): SignIn {
  const token = randomBytes(32).toString("base64url");
  const cookie = `chainwright-${port}`;
  let isUsed = false;
  return {
    link: `/?${parameter}=${token}`,
    enter(request) {
      const given = new URL(request.url).searchParams.get(parameter);
      if (given === null) return undefined;
      if (isUsed || !isSame(given, token)) {
        return textResponse("This link was used before or is invalid. Restart the dashboard to get a new one.\n", 403);
      }
      isUsed = true;
      const value = `${cookie}=${session}; Path=/; HttpOnly; SameSite=Strict`;
      return textResponse("", 303, { location: "/", "set-cookie": value });
    },
    isSignedIn(request) {
      const cookies = (request.headers.get("cookie") ?? "").split(/;\s*/);
      return cookies.some((each) => isSame(each, `${cookie}=${session}`));
    },
  };
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
