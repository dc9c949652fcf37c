import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { complaintAboutNode, isOlder } from "../bootstrap/node-version.mjs";

it.each([
  ["20.20.2", "22.12", true],
  ["22.11.9", "22.12", true],
  ["22.12.0", "22.12", false],
  ["22.9.0", "22.12", true],
  ["24.0.0", "22.12", false],
])("reports whether Node %s is older than %s: %s", (version, needed, older) => {
  expect(isOlder(version, needed)).toBe(older);
});

it("reports which Node is needed, and which was found where", () => {
  const complaint = complaintAboutNode(">=22.12", "20.20.2", "/usr/bin/node");
  expect(complaint).toContain("22.12 or newer");
  expect(complaint).toContain("20.20.2 at /usr/bin/node");
});

it("accepts a Node that is new enough", () => {
  expect(complaintAboutNode(">=22.12", "22.12.0", "/usr/bin/node")).toBeUndefined();
});

it("fails with the list of targets when the target is unknown", () => {
  const bootstrap = fileURLToPath(new URL("../bootstrap.mjs", import.meta.url));
  const run = () => execFileSync(process.execPath, [bootstrap, "nonsense"], { encoding: "utf8", stdio: "pipe" });
  expect(run).toThrow(/nonsense.*demo, test/s);
});
