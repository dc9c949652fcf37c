import { describe, expect, it } from "vitest";
import { claimName, splitClaimName } from "../../src/model/claim-name.ts";

describe("A claim name", () => {
  it("of version 1 without a pool is the type name", () => {
    expect(claimName({ typeName: "a.b" })).toBe("a.b");
    expect(claimName({ typeName: "a.b", version: 1, pool: undefined })).toBe("a.b");
  });

  it("has the version and the pool behind a control character, where they are not the usual ones", () => {
    expect(claimName({ typeName: "a", version: 2 })).toBe("a\u0001#2");
    expect(claimName({ typeName: "a", pool: "gpu" })).toBe("a\u0001@gpu");
    expect(claimName({ typeName: "a", version: 32767, pool: "gpu" })).toBe("a\u0001#32767@gpu");
  });

  it("can be split into what it was made of, whatever characters the type and the pool have", () => {
    for (const typeName of ["a", "#2", "@gpu", "a#2@gpu", "ä b"])
      for (const version of [1, 2, 10, 32767])
        for (const pool of [undefined, "gpu", "@", "#3", "a@b#2@c", " "])
          expect(splitClaimName(claimName({ typeName, version, pool }))).toEqual({ typeName, version, pool });
  });

  it("of different types, versions and pools differs", () => {
    const keys = ["a", "a#2", "a@b"].flatMap((typeName) =>
      [1, 2, 22].flatMap((version) => [undefined, "b", "2@b", "#2"].map((pool) => ({ typeName, version, pool }))),
    );
    expect(new Set(keys.map(claimName)).size).toBe(keys.length);
  });
});
