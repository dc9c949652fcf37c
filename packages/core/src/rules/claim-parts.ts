import type { Claim, ClaimType } from "../ports/exchange.ts";

/**
 * A claim as independent claims: one for each type name that has a limit of its own, the last one for all other types. Nearly every
 * claim is its own only part.
 */
export function claimParts(claim: Claim): readonly Claim[] {
  if (claim.types.every(({ limit }) => limit === undefined)) return [claim];
  const parts: Claim[] = [];
  const others: ClaimType[] = [];
  const own = new Map<string, ClaimType[]>();
  for (const type of claim.types) {
    if (type.limit === undefined) others.push(type);
    else own.set(type.typeName, [...(own.get(type.typeName) ?? []), type]);
  }
  for (const types of own.values()) parts.push({ ...claim, types, limit: types[0]?.limit ?? 0, startable: undefined });
  return others.length === 0 ? parts : [...parts, { ...claim, types: others }];
}
