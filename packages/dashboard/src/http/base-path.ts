import { ChainwrightError } from "chainwright";

/**
 * Checks the base path: `/`, or segments as in `/admin/jobs`. No segment may look like one of the dashboard's own paths, because some
 * frameworks remove the base path before they call the handler and others do not.
 */
export function checkBasePath(basePath: string): string {
  const trimmed = basePath.replace(/\/+$/, "");
  const isPath = trimmed === "" || /^(\/[A-Za-z0-9._~-]+)+$/.test(trimmed);
  const segments = trimmed.split("/").slice(1);
  if (!isPath || segments.includes(".") || segments.includes("..")) {
    const message = `basePath must be "/" or segments as in "/admin/jobs"; got ${JSON.stringify(basePath)}.`;
    throw new ChainwrightError("invalid-input", message);
  }
  if (segments[0] === "-" || segments[0] === "assets") {
    const message = `basePath must not begin with "/${segments[0]}", because the dashboard uses that path itself.`;
    throw new ChainwrightError("invalid-input", message);
  }
  return trimmed;
}

/** Returns the path below the base path, without a leading slash, whether or not the framework has removed the base path. */
export function pathBelow(basePath: string, pathname: string): string {
  if (pathname === basePath) return "";
  const rest = basePath !== "" && pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : pathname;
  return rest.replace(/^\//, "");
}
