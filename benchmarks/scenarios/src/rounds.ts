import { median, type Figure } from "@chainwright/bench-measuring";

const discardedRounds = 2;
const rounds = 5;

/** Runs rounds of the same work. The first ones warm up; the median of the others counts. */
export async function medianRound(
  run: () => Promise<Figure>,
  progress: (step: string) => void,
): Promise<{ readonly client: number; readonly server?: number; readonly perSecond: number }> {
  const figures: Figure[] = [];
  for (let round = 0; round < discardedRounds + rounds; round += 1) {
    progress(`round ${round + 1}`);
    figures.push(await run());
  }
  const counted = figures.slice(discardedRounds);
  const server = counted.flatMap(({ serverCpuMicros }) => serverCpuMicros ?? []);
  return {
    client: median(counted.map(({ cpuMicros }) => cpuMicros)),
    ...(server.length > 0 && { server: median(server) }),
    perSecond: median(counted.map(({ perSecond }) => perSecond)),
  };
}
