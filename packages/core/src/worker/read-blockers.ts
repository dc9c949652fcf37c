import { UnreadableInput } from "../checks/unreadable-input.ts";
import type { Engine } from "../engine/engine.ts";
import type { ClaimedBlocker, ClaimedJob } from "../model/record.ts";

type Reader = Pick<Engine, "types" | "findChain">;

/**
 * The blockers of a claimed job as its handler sees them. The versions of an output are those of the type of the job that wrote it. A
 * claim does not return that type, so clients with versions of outputs look it up.
 *
 * @throws `UnreadableInput`
 */
export function readBlockers(engine: Reader, { blockers }: ClaimedJob): readonly object[] | Promise<readonly object[]> {
  if (engine.types.versions.hasOutputs && blockers.length > 0)
    return Promise.all(
      blockers.map(async (blocker) => blockerOf(engine, blocker, await outputTypeOf(engine, blocker))),
    );
  return blockers.map((blocker) => blockerOf(engine, blocker, blocker.typeName));
}

function blockerOf({ types: { versions } }: Reader, blocker: ClaimedBlocker, outputTypeName: string): object {
  const { typeName, version, outputVersion } = blocker;
  return {
    id: blocker.chainId,
    typeName,
    status: "completed",
    input: versions.read({ payload: "input", typeName, version }, blocker.input),
    output: versions.read({ payload: "output", typeName: outputTypeName, version: outputVersion }, blocker.output),
    createdAt: new Date(blocker.createdAt),
    endedAt: new Date(blocker.endedAt),
  };
}

async function outputTypeOf(
  { findChain }: Reader,
  { chainId, typeName, outputVersion: version }: ClaimedBlocker,
): Promise<string> {
  try {
    return (await findChain(chainId))?.outputTypeName ?? typeName;
  } catch (cause) {
    throw new UnreadableInput({ payload: "output", typeName, version }, { why: "store", cause });
  }
}
