import { ChainwrightError } from "chainwright";

/** Checks the base path: `/`, or segments as in `/api/jobs`. */
export function checkBasePath(basePath: string): string {
  const trimmed = basePath.replace(/\/+$/, "");
  if (trimmed === "" || /^(\/[A-Za-z0-9_~-]+)+$/.test(trimmed)) return trimmed;
  throw new ChainwrightError(
    "invalid-input",
    `basePath must be "/" or segments as in "/api/jobs"; got ${JSON.stringify(basePath)}.`,
  );
}

/** The path below the base path, whether or not the framework has removed the base path. */
export function pathBelow(basePath: string, pathname: string): string {
  return basePath !== "" && pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : pathname;
}
