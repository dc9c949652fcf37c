import type { Piece } from "./results.ts";
import { number } from "./text.ts";

/** Where and when the figures were taken, with a warning if they cannot be relied on. */
export function hostText(all: readonly Piece<unknown>[]): string {
  const [first] = all;
  if (first === undefined) throw new Error("there are no results: run `npm run bench:publish`");
  const { processor, cores, memoryGiB, system, node } = first.host;
  const commits = [...new Set(all.map(({ host }) => host.commit))];
  const loads = all.map(({ host }) => host.load);
  const [least, most] = [Math.min(...loads), Math.max(...loads)].map((load) => number(load, 1));
  return [
    `Machine: ${processor}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node}, at commit ${commits.join(" and ")}. Servers ran on the same machine. The run was taken in ${all.length} parts; the load before each was between ${least} and ${most}, partly because of the part before it.`,
    ...(Math.max(...loads) > cores / 2
      ? ["**More than half of the cores were busy** before at least one part: treat rates with care."]
      : []),
    ...(commits.some((commit) => commit.endsWith("-dirty"))
      ? ["**The sources had changes that are in no commit**: these figures cannot be repeated exactly."]
      : []),
    ...(commits.length > 1 ? ["**The parts are of different commits.**"] : []),
  ].join(" ");
}
