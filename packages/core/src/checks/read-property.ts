/** A property of any object; undefined if there is none, or if reading it throws. */
export function readProperty(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    return undefined;
  }
}
