/** Whether two replies of one operation say the same. They are plain data. */
export function sameReply(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left);
  // Every reply of an operation has the same keys, except that an array may be shorter.
  return keys.length === Object.keys(right).length && keys.every((key) => sameReply(left[key], right[key]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
