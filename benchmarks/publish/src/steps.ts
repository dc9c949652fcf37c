/** One run of a tool. */
export interface Step {
  /** Names the file of the results; the page reads files by the beginning of their names. */
  readonly name: string;
  /** A folder of benchmarks/ with a src/main.ts. */
  readonly tool: string;
  readonly options: readonly string[];
  /** The chart that it draws. */
  readonly plot?: string;
}

type Size = "full" | "quick";

interface Published extends Omit<Step, "options"> {
  readonly options: { readonly [Name in Size]: string | undefined };
}

const backlogRows = "--rows in-process,sqlite/better,postgres/pg";
const grownRows = "--measure growth --rows in-process,sqlite/better-sqlite3,postgres/pg";
const quickWeighed =
  "--rows in-process,sqlite/better-sqlite3,postgres/pg,notify redis/ioredis,notify nats,otel,dashboard";

const quickScenarios = [
  "--seconds 5 --delayed 1k --schedules 2k --failing 500 --keys 200 --observed 5k",
  "--limited 2k --parked 20k --batched 20k --noted 100 --watched 50",
].join(" ");

/** In this order. The quick ones take 80 minutes together on two quiet cores, the full ones some hours. */
const published: readonly Published[] = [
  {
    name: "capacity",
    tool: "processing-capacity",
    options: { full: "--repeat 5", quick: "--chains 1k --repeat 2" },
  },
  {
    name: "backlog",
    tool: "processing-capacity",
    options: {
      full: `${backlogRows} --backlog 0,1k,100k --repeat 3`,
      quick: `${backlogRows} --backlog 0,20k --chains 500`,
    },
    plot: "backlog.svg",
  },
  {
    name: "memory",
    tool: "memory-footprint",
    options: {
      full: "--repeat 3",
      quick: `${quickWeighed} --warm-ups 2 --repeat 2 --waiting 20k --processed 50k`,
    },
  },
  {
    name: "memory-10m",
    tool: "memory-footprint",
    options: { full: `${grownRows} --processed 10m`, quick: undefined },
  },
  {
    name: "peers",
    tool: "peers",
    options: { full: "--repeat 5", quick: "--limit 3 --repeat 2" },
  },
  {
    name: "scale-out",
    tool: "scale-out",
    options: {
      full: "--repeat 3",
      quick:
        "--only chainwright,recommended --notify none,postgres --processes 1,16,32 --jobs 120k --warm-up 15k --samples 50",
    },
    plot: "scale-out.svg",
  },
  {
    name: "scale-out-idle",
    tool: "scale-out",
    options: {
      full: "--only chainwright --processes 1 --idle 100 --repeat 5",
      quick: "--only chainwright --notify postgres --mode value --processes 1 --idle 100 --samples 50 --repeat 2",
    },
  },
  {
    name: "scenarios",
    tool: "scenarios",
    options: { full: "--repeat 5", quick: quickScenarios },
  },
  {
    name: "dashboard",
    tool: "dashboard",
    options: { full: "--open 1000000", quick: undefined },
  },
];

/** The steps of a size, or those of them whose names are listed. */
export function stepsOf(size: Size, only: readonly string[]): readonly Step[] {
  const unknown = only.filter((name) => !published.some((step) => step.name === name));
  if (unknown.length > 0)
    throw new Error(`--only must be of ${published.map(({ name }) => name).join(", ")}; got "${unknown.join(",")}"`);
  return published.flatMap(({ options, ...step }) => {
    const line = options[size];
    const isMeant = only.length === 0 || only.includes(step.name);
    return line === undefined || !isMeant ? [] : [{ ...step, options: wordsOf(line) }];
  });
}

/** "--rows a b,c --repeat 2" has the value "a b,c". */
function wordsOf(line: string): readonly string[] {
  return line.split(/ (?=--)/).flatMap((option) => {
    const [name = "", ...value] = option.split(" ");
    return value.length === 0 ? [name] : [name, value.join(" ")];
  });
}
