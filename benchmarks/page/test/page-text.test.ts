import { expect, it } from "vitest";
import { pageText } from "../src/page-text.ts";
import { capacityRun, host, piece, results, scaleOutRun } from "./fixture.ts";

it("names the machine and the commit, without a warning if there is no reason for one", () => {
  const text = pageText(results);
  expect(text).toContain("A processor, 4 cores, 8 GiB, Linux, Node v24, at commit abc1234.");
  expect(text).not.toMatch(/\*\*[A-Z]/);
});

it("warns about a busy machine, changes that are in no commit, and parts of different commits", () => {
  const scaleOut = [piece("scale-out.json", [], { host: { ...host, load: 3, commit: "abc1234-dirty" } })];
  const text = pageText({ ...results, scaleOut });
  expect(text).toContain("**More than half of the cores were busy** before");
  expect(text).toContain("**The sources had changes that are in no commit**");
  expect(text).toContain("**The parts are of different commits.**");
});

it("shows the command of each part", () => {
  expect(pageText(results)).toContain("npm run bench:capacity -- --repeat 3");
});

it("lists where another queue is faster, by its name", () => {
  expect(pageText(results)).toContain("- pg-boss: enqueue one (x 1.50).");
});

it("shows what did not help", () => {
  expect(pageText(results)).toContain("| an idea | no difference |");
});

it("has no section for a tool that has not run", () => {
  expect(pageText(results)).not.toContain("## Many worker processes");
});

it("shows the cost of idle processes, and whether it is below the target", () => {
  const beside = { ...scaleOutRun, idle: 100, clientCpuMicros: 32, idleCpuMicros: 2, perSecond: 990 };
  const text = pageText({ ...results, scaleOut: [piece("scale-out.json", [scaleOutRun, beside])] });
  expect(text).toContain(
    "| chainwright, notify postgres, value | 1 | 100 | 30 + 20 | 32 + 20 | 4.0 | 1,000 | 990 | 1.0 |",
  );
  expect(text).toMatch(/CPU of one process beside 100 idle ones, % more \| at most 2 \| 4.0 \| \*\*missed\*\*/);
});

it("compares the CPU of a job at many processes with that at the fewest", () => {
  const many = { ...scaleOutRun, processes: 32, clientCpuMicros: 40 };
  const text = pageText({ ...results, scaleOut: [piece("scale-out.json", [many, scaleOutRun])] });
  expect(text).toContain("| chainwright, notify postgres | 30 + 20 (x 1.00) | 40 + 20 (x 1.20) |");
  expect(text).toContain("CPU at 32 processes, times that of one | at most 1.5 | 1.20 | met |");
});

it("compares with the queue written by hand where it was measured", () => {
  const faster = { perSecond: 2_500, cpuMicros: 8 };
  const handWritten = {
    insertOne: faster,
    insertHundred: faster,
    exchangeHundred: faster,
    claimAndSettle: faster,
  };
  const runs = [{ ...capacityRun, floor: { ...capacityRun.floor, handWritten } }];
  expect(pageText(results)).toContain("postgres/pg, value of its floor | at least 0.5 | 1.00 | met |");
  expect(pageText({ ...results, capacity: [piece("capacity.json", runs)] })).toContain(
    "postgres/pg, value of the queue written by hand | at least 0.5 | 0.40 | **missed** |",
  );
});
