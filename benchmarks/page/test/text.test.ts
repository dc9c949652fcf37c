import { expect, it } from "vitest";
import { notHelpedIn } from "../src/not-helped.ts";
import { cpuText, latencyText, measured } from "../src/text.ts";

it("shows a median with half of the distance between the lowest and the highest value", () => {
  expect(measured([1_300, 1_000, 1_200])).toBe("1,200 ±150");
  expect(measured([1.25, 1.5], 1)).toBe("1.5 ±0.1");
});

it("shows no error of a single value, and nothing of none", () => {
  expect(measured([1_200])).toBe("1,200");
  expect(measured([])).toBe("");
});

it("shows the CPU of client and server with the error of their sum", () => {
  const figures = [
    { cpuMicros: 20, serverCpuMicros: 30 },
    { cpuMicros: 22, serverCpuMicros: 32 },
  ];
  expect(cpuText(figures)).toBe("22 + 32 ±2");
});

it("shows the CPU of the client alone if that of the server is not known or was none", () => {
  expect(cpuText([{ cpuMicros: 9.94 }, { cpuMicros: 9.94 }])).toBe("9.9 ±0.0");
  expect(cpuText([{ cpuMicros: 9.94, serverCpuMicros: 0 }])).toBe("9.9");
});

it("shows the medians of both percentiles", () => {
  expect(latencyText([{ p50: 0.8, p99: 1.6 }])).toBe("0.8, 1.6");
});

it("reads the ideas that did not help from a README, and nothing from the sections around", () => {
  const readme = [
    "# tool",
    "| a | b |",
    "## What did not help",
    "Tried:",
    "| idea | result |",
    "| --- | --- |",
    "| a thing | no difference |",
    "## After",
    "| c | d |",
  ].join("\n");
  expect(notHelpedIn(readme)).toEqual([["a thing", "no difference"]]);
  expect(notHelpedIn("# tool\n| a | b |\n")).toEqual([]);
});
