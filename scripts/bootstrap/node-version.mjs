// Every Node since 14 must parse this file, so its syntax stays old.

/**
 * Returns the message for a user whose Node is too old; undefined if it is new enough.
 *
 * @param {string} range the engines field, ">=22.12"
 * @param {string} version "20.1.0"
 * @param {string} path where that Node is
 * @returns {string | undefined}
 */
export function complaintAboutNode(range, version, path) {
  const needed = range.replace(/^>=\s*/, "");
  if (!isOlder(version, needed)) return undefined;
  return [
    `Chainwright needs Node.js ${needed} or newer.`,
    `Found: Node.js ${version} at ${path}`,
    `Install a newer one (from nodejs.org, or with nvm, fnm, volta or mise), put it first in the PATH, and run the same command again.`,
  ].join("\n");
}

/**
 * @param {string} version
 * @param {string} needed
 */
export function isOlder(version, needed) {
  const have = version.split(".").map(Number);
  const want = needed.split(".").map(Number);
  const at = want.findIndex((part, index) => (have[index] || 0) !== part);
  return at !== -1 && (have[at] || 0) < (want[at] || 0);
}
