import { parseArgs } from "node:util";

export interface Settings {
  readonly stores: readonly string[];
  readonly chains: number;
  readonly open: number;
  readonly repeat: number;
  /** A folder whose store stays, filled. */
  readonly keep: string | undefined;
  readonly json: string | undefined;
}

export const help = `How long the dashboard's server takes for each page's data, with a long history behind it.

  --store NAME       sqlite, postgres; both unless given
  --chains NUMBER    chains in the store, nearly all of them completed; 1000000 unless given
  --open NUMBER      measured again with so many jobs that wait, of a few types; not unless given
  --repeat NUMBER    requests for each page; 200 unless given
  --keep FOLDER      the SQLite file stays there, and the schema on POSTGRES_URL too: a run with the same option does not fill them again
  --json FILE        the figures, for programs
  --smoke            two thousand chains, two hundred jobs that wait, two requests
  --help             this text
`;

export function readSettings(args: readonly string[]): Settings | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      store: { type: "string", multiple: true, default: ["sqlite", "postgres"] },
      chains: { type: "string" },
      open: { type: "string" },
      repeat: { type: "string" },
      keep: { type: "string" },
      json: { type: "string" },
      smoke: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  return {
    stores: values.store,
    chains: Number(values.chains ?? (values.smoke ? 2_000 : 1_000_000)),
    open: Number(values.open ?? (values.smoke ? 200 : 0)),
    repeat: Number(values.repeat ?? (values.smoke ? 2 : 200)),
    keep: values.keep,
    json: values.json,
  };
}
