import { getHeapSnapshot } from "node:v8";

/** What is alive on the heap, in bytes; taking it collects all garbage first. */
export interface Heap {
  /** Objects, strings, closures, arrays: what the program made. */
  readonly live: number;
  /** Bytecode, machine code and feedback: what the engine made of the program. */
  readonly code: number;
}

/** The part of a snapshot that is read here: a row of numbers for each node, named in `meta`. */
interface Snapshot {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[];
      readonly node_types: readonly [readonly string[], ...unknown[]];
    };
  };
  readonly nodes: readonly number[];
}

/** Node types of the engine's own, and memory outside the heap. */
const codeTypes: ReadonlySet<string> = new Set(["code", "object shape"]);
const outside: ReadonlySet<string> = new Set(["native", "synthetic"]);

/** What comes after the nodes is most of a snapshot, and not wanted. */
const afterNodes = '"edges":';

export async function weighHeap(): Promise<Heap> {
  await settle();
  return sumNodes(await readNodes());
}

/** By then closed sockets have ended; what a finalizer frees needs another collection after it. */
async function settle(): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function readNodes(): Promise<Snapshot> {
  let text = "";
  for await (const part of getHeapSnapshot()) {
    const from = Math.max(0, text.length - afterNodes.length);
    text += String(part);
    const end = text.indexOf(afterNodes, from);
    if (end >= 0) return JSON.parse(`${text.slice(0, text.lastIndexOf(",", end))}}`) as Snapshot;
  }
  throw new Error("a heap snapshot without nodes");
}

function sumNodes({ snapshot, nodes }: Snapshot): Heap {
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [typeAt, sizeAt] = [fields.indexOf("type"), fields.indexOf("self_size")];
  let live = 0;
  let code = 0;
  for (let node = 0; node < nodes.length; node += fields.length) {
    const type = types[0][nodes[node + typeAt] ?? -1] ?? "";
    const size = nodes[node + sizeAt] ?? 0;
    if (codeTypes.has(type)) code += size;
    else if (!outside.has(type)) live += size;
  }
  return { live, code };
}
