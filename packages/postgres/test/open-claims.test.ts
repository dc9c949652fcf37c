import { expect, it } from "vitest";
import { createOpenClaims } from "../src/open-claims.ts";

it("a claim remembers no later beginning of the inbox than those that ended while it was under way", () => {
  const claims = createOpenClaims();
  const [early, late, failing] = [claims.begin(), claims.begin(), claims.begin()];
  failing.endWithout();
  expect(late.end(50)).toBe(50);
  // It began before that job was in the inbox, and saw the next one.
  expect(early.end(100)).toBe(50);
  expect(claims.begin().end(100)).toBe(100);
});

it("a claim that looked for no jobs under limits says nothing to the others", () => {
  const claims = createOpenClaims();
  const [plain, limited] = [claims.begin(), claims.begin()];
  expect(plain.end(0)).toBe(0);
  expect(limited.end(100)).toBe(100);
});

it("claims that are always under way pass what others have seen before they began", () => {
  const claims = createOpenClaims();
  let open = claims.begin();
  const ends: number[] = [];
  for (let position = 1; position <= 5; position += 1) {
    const next = claims.begin();
    ends.push(open.end(position));
    open = next;
  }
  expect(ends).toEqual([1, 1, 2, 3, 4]);
});
