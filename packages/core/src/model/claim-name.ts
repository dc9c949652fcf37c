/** The jobs that a claim names together: those of one type, version and pool. */
export interface ClaimKey {
  readonly typeName: string;
  /** The version of the input. Undefined: 1. */
  readonly version?: number | undefined;
  /** Undefined: none. */
  readonly pool?: string | undefined;
}

/** No name of a type or a pool contains it. */
const separator = "\u0001";

/**
 * The name under which a store keeps waiting jobs, and under which a worker claims them: the type, then the version if it is not 1,
 * then the pool if there is one.
 *
 * @example
 * claimName({ typeName: "video.encode" }); // "video.encode"
 * claimName({ typeName: "video.encode", version: 2, pool: "gpu" }); // "video.encode\u0001#2@gpu"
 */
export function claimName({ typeName, version, pool }: ClaimKey): string {
  const isFirst = version === undefined || version === 1;
  if (isFirst && pool === undefined) return typeName;
  return typeName + separator + (isFirst ? "" : `#${version}`) + (pool === undefined ? "" : `@${pool}`);
}

/**
 * The claim name where it is not the type.
 *
 * @example
 * ownClaimName({ typeName: "video.encode" }); // undefined
 */
export function ownClaimName(key: ClaimKey): string | undefined {
  const name = claimName(key);
  return name === key.typeName ? undefined : name;
}

/**
 * The type, version and pool of a claim name.
 *
 * @example
 * const { typeName, version, pool } = splitClaimName("video.encode"); // "video.encode", 1, undefined
 */
export function splitClaimName(name: string): {
  readonly typeName: string;
  readonly version: number;
  readonly pool: string | undefined;
} {
  const end = name.indexOf(separator);
  if (end < 0) return { typeName: name, version: 1, pool: undefined };
  const at = name.indexOf("@", end);
  const [versionEnd, pool] = at < 0 ? [name.length, undefined] : [at, name.slice(at + 1)];
  const version = versionEnd > end + 1 ? Number(name.slice(end + 2, versionEnd)) : 1;
  return { typeName: name.slice(0, end), version, pool };
}
