import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./loopback.ts";
import type { ServerOptions } from "./server.ts";

/** The folder and the port of a server. */
export interface Place {
  readonly folder: string;
  readonly temporary: boolean;
  readonly port: number;
}

export async function place(name: string, { dataDir, port }: ServerOptions): Promise<Place> {
  if (dataDir !== undefined) mkdirSync(dataDir, { recursive: true });
  return {
    folder: dataDir ?? mkdtempSync(join(tmpdir(), `chainwright-${name}-`)),
    temporary: dataDir === undefined,
    port: port ?? (await freePort()),
  };
}
