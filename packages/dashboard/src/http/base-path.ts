/**
 * Where the dashboard stands: `/`, or segments as in `/admin/jobs`. None may look like a path of the dashboard's own, for
 * frameworks differ in whether they take the base path off before they call.
 */
export function checkBasePath(basePath: string): string {
  const trimmed = basePath.replace(/\/+$/, "");
  const isPath = trimmed === "" || /^(\/[A-Za-z0-9._~-]+)+$/.test(trimmed);
  const segments = trimmed.split("/").slice(1);
  if (!isPath || segments.includes(".") || segments.includes("..")) {
    throw new TypeError(`basePath is "/" or segments as in "/admin/jobs", not ${JSON.stringify(basePath)}`);
  }
  if (segments[0] === "-" || segments[0] === "assets") {
    throw new TypeError(`basePath cannot begin with "/${segments[0]}", which stands below it`);
  }
  return trimmed;
}

/** The path below the base path, without a slash in front, whether a framework took the base path off or not. */
export function pathBelow(basePath: string, pathname: string): string {
  if (pathname === basePath) return "";
  const rest = basePath !== "" && pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : pathname;
  return rest.replace(/^\//, "");
}
