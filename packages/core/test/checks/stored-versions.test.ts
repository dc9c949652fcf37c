import { array, assert, integer, nat, oneof, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { createStoredVersions } from "../../src/checks/stored-versions.ts";
import { UnreadableInput } from "../../src/checks/unreadable-input.ts";
import type { VersionLadder, VersionStep } from "../../src/model/version-step.ts";

const isKnown = () => true;

function versionsOf(ladder: VersionLadder, writes?: number) {
  return createStoredVersions(
    [{ inputs: { a: ladder }, outputs: {}, writes: writes === undefined ? {} : { a: writes } }],
    isKnown,
  );
}

const input = (version: number) => ({ payload: "input", typeName: "a", version }) as const;
const numbered = (step: number): VersionStep => ({
  up: (value) => `${String(value)}>${step}`,
  back: (value) => String(value).slice(0, -`>${step}`.length),
});

describe("stored versions", () => {
  it("makes each version of the one before, from the stored version on", () => {
    const versions = versionsOf({ steps: [numbered(2), numbered(3), numbered(4)] });
    expect(versions.read(input(1), '"x"')).toBe("x>2>3>4");
    expect(versions.read(input(3), '"x"')).toBe("x>4");
    expect(versions.read(input(4), '"x"')).toBe("x");
  });

  it("reads version 1 of what has no versions, and refuses any other", () => {
    const versions = createStoredVersions([], isKnown);
    expect(versions.read(input(1), "[1]")).toEqual([1]);
    expect(() => versions.read(input(2), "[1]")).toThrow(UnreadableInput);
  });

  it("refuses a version above the newest, and says which is the newest", () => {
    const versions = versionsOf({ steps: [numbered(2)] });
    expect(() => versions.read(input(3), '"x"')).toThrow(
      expect.objectContaining({
        code: "input-unreadable",
        why: "newer-version",
        message: expect.stringContaining('of "a" is of version 3, and this code knows versions up to 2'),
        details: expect.objectContaining({ version: 3, newest: 2 }),
      }),
    );
  });

  it("refuses what an upcaster throws at, or returns a promise for", () => {
    const cause = new TypeError("no such field");
    const throwing = versionsOf({
      steps: [
        numbered(2),
        {
          up: () => {
            throw cause;
          },
          back: undefined,
        },
      ],
    });
    expect(() => throwing.read(input(1), '"x"')).toThrow(expect.objectContaining({ why: "upcaster", cause }));
    expect(throwing.read(input(3), '"x"')).toBe("x");
    const late = versionsOf({ steps: [{ up: async () => 1, back: undefined }] });
    expect(() => late.read(input(1), '"x"')).toThrow(
      expect.objectContaining({ cause: expect.objectContaining({ message: expect.stringContaining("promise") }) }),
    );
  });

  it("an input that is written in an older version and read again is the same", () => {
    const step = oneof(
      integer({ min: 1, max: 9 }).map((by): VersionStep => ({
        up: (value) => ({ ...(value as object), n: (value as { n: number }).n + by }),
        back: (value) => ({ ...(value as object), n: (value as { n: number }).n - by }),
      })),
      string().map((name): VersionStep => ({
        up: (value) => ({ n: (value as { n: number }).n, before: value, [`added ${name}`]: true }),
        back: (value) => (value as { before: unknown }).before,
      })),
    );
    assert(
      property(
        array(step, { minLength: 1, maxLength: 6 }),
        integer({ min: -1_000, max: 1_000 }),
        nat(),
        (steps, n, choice) => {
          const written = 1 + (choice % steps.length);
          const versions = versionsOf({ steps }, written);
          const newest = steps.reduce<unknown>((value, { up }) => up(value), { n });
          const text = JSON.stringify(versions.toWritten("a", newest));
          expect(versions.read(input(versions.versionToWrite("a")), text)).toEqual(newest);
        },
      ),
    );
  });

  it("a back that throws refuses the start, and is named", () => {
    const back = (): never => {
      throw new TypeError("no amount");
    };
    const versions = versionsOf({ steps: [{ up: (value) => value, back }] }, 1);
    expect(() => versions.toWritten("a", 1)).toThrow(
      expect.objectContaining({ code: "invalid-input", message: expect.stringContaining('version 2 of "a"') }),
    );
  });
});
