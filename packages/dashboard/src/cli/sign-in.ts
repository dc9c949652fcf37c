import { randomBytes, timingSafeEqual } from "node:crypto";
import { respond, textResponse } from "../http/response.ts";

/** Lets in whoever opens a link that works once: it leaves a cookie that works until the program ends. */
export interface SignIn {
  /** The link's path and query. */
  readonly link: string;
  /** What to answer a request for the link; undefined: it is another request. */
  enter(request: Request): Response | undefined;
  isSignedIn(request: Request): boolean;
}

const parameter = "sign-in";

/** @param port distinguishes the cookies of several dashboards on one machine: cookies know no ports. */
export function createSignIn(port: number): SignIn {
  const token = randomBytes(32).toString("base64url");
  const session = randomBytes(32).toString("base64url");
  const cookie = `chainwright-${port}`;
  let isUsed = false;
  return {
    link: `/?${parameter}=${token}`,
    enter(request) {
      const given = new URL(request.url).searchParams.get(parameter);
      if (given === null) return undefined;
      if (isUsed || !isSame(given, token)) {
        return textResponse("This link has been used, or is none. Start the dashboard again for another.\n", 403);
      }
      isUsed = true;
      const value = `${cookie}=${session}; Path=/; HttpOnly; SameSite=Strict`;
      return respond("", 303, { location: "/", "set-cookie": value });
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
