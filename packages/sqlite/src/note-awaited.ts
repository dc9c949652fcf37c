import type { AwaitedChain, CallOptions } from "chainwright/adapter";
import type { Connection } from "./connect.ts";

/**
 * Reads chains, and notes of the active ones that a process awaits them. SQLite has one writer, so a note and the end of the
 * chain are never written at the same time: the end sees the note, or the note sees the end. A note means nothing after a loss
 * of power, so it does not wait for the disk.
 */
export async function noteAwaited<Tx extends object>(
  connection: Connection<Tx>,
  ids: readonly string[],
  options: CallOptions<Tx>,
): Promise<readonly AwaitedChain[]> {
  const chains = await connection.read(options, (reads) => reads.getChains(ids));
  if (chains.some((chain) => chain?.status === "active")) {
    const noted = await connection.tryWrite(options, (writes) => writes.noteAwaited(ids));
    if (noted !== undefined) return noted;
  }
  return chains.map((chain) => ({ chain, isNoted: false }));
}
