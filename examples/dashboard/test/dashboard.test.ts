import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const flags = ["--conditions=@chainwright/source", "--experimental-strip-types", "--no-warnings"];
const authorization = `Basic ${Buffer.from("ada:secret").toString("base64")}`;

it.each(["hono", "express"])(
  "a %s application shows its chains only after a sign-in, and ends when it is stopped",
  async (name) => {
    const program = fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url));
    const child = spawn(process.execPath, [...flags, program], {
      env: { ...process.env, PORT: "0", PASSWORD: "secret" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const [address] = (await once(createInterface(child.stdout), "line")) as [string];
      const home = await fetch(new URL("/", address));
      expect(await home.text()).toBe("The shop.");

      const stranger = await fetch(`${address}/-/session`);
      expect([stranger.status, await stranger.text()]).toEqual([401, "Please sign in."]);

      const session = await fetch(`${address}/-/session`, { headers: { authorization } });
      const onLimits = ["change-limit", "reset-limit", "pause-limit", "resume-limit"];
      const onSchedules = ["pause", "resume", "trigger", "edit", "reset"].map((verb) => `${verb}-schedule`);
      const actions = ["retry", "trigger", "cancel", "send-signal", "pause", "resume", ...onLimits, ...onSchedules];
      expect(await session.json()).toMatchObject({ name: "Ada", actions });

      const chains = await fetch(`${address}/-/chains`, { headers: { authorization } });
      const { items } = (await chains.json()) as { items: { typeName: string }[] };
      expect(items.map(({ typeName }) => typeName)).toEqual(["order.charge", "order.charge", "order.charge"]);
    } finally {
      child.kill("SIGTERM");
    }
    expect(await once(child, "exit")).toEqual([0, null]);
  },
  60_000,
);
