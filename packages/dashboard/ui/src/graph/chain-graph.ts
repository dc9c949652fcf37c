import type { ChainResponse } from "../../../src/protocol/reads.ts";
import { formatCount } from "../format/number.ts";
import type { ChainStatus, ExplanationView, JobStatus, StepView } from "../../../src/protocol/views.ts";

/** A box of the graph. */
export interface GraphNode {
  readonly key: string;
  readonly kind: "blocker" | "step" | "dependent" | "more";
  readonly title: string;
  readonly status: ChainStatus | JobStatus | undefined;
  readonly detail: string;
  /** The chain or step that the box represents. */
  readonly target: string | undefined;
  readonly open: boolean;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: "continues" | "blocks";
}

export interface ChainGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** A long chain shows its first and last steps; a long list of blockers shows the first ones. */
const stepsAtEachEnd = 6;
const neighboursAtMost = 6;

/** The graph of a chain: its steps, their blockers, and the jobs that wait for the chain. */
export function graphOf(response: ChainResponse, steps: readonly StepView[]): ChainGraph {
  const nodes: GraphNode[] = [];
  const edges: GraphEdge[] = [];
  const shown = shortened(steps, response.lastStep);
  const isOpen = (step: StepView) => response.chain.status === "active" && step.id === response.lastStep?.id;

  let before: string | undefined;
  for (const each of shown) {
    const key = each.kind === "step" ? each.step.id : "more-steps";
    nodes.push(each.kind === "step" ? stepNode(each.step, isOpen(each.step)) : moreNode(key, each.text));
    if (before !== undefined) edges.push({ from: before, to: key, kind: "continues" });
    if (each.kind === "step") addBlockers(each.step, response.explanation, { nodes, edges });
    before = key;
  }
  if (before !== undefined) addDependents(response, before, nodes, edges);
  return { nodes, edges };
}

type Shown = { readonly kind: "step"; readonly step: StepView } | { readonly kind: "gap"; readonly text: string };

function shortened(steps: readonly StepView[], lastStep: StepView | undefined): readonly Shown[] {
  const known = new Map([...steps, ...(lastStep === undefined ? [] : [lastStep])].map((step) => [step.step, step]));
  const all = [...known.values()].sort((one, other) => one.step - other.step);
  const total = lastStep?.step ?? all.at(-1)?.step ?? 0;
  const drawn = all.filter(
    ({ step }) => total <= stepsAtEachEnd * 2 || step <= stepsAtEachEnd || step > total - stepsAtEachEnd,
  );
  return drawn.flatMap((step, index): readonly Shown[] => {
    const left = step.step - (drawn[index - 1]?.step ?? 0) - 1;
    const node: Shown = { kind: "step", step };
    return left > 0 ? [{ kind: "gap", text: `${formatCount(left)} more steps` }, node] : [node];
  });
}

function stepNode(step: StepView, open: boolean): GraphNode {
  const attempts = step.attempt > 1 ? ` \u00b7 attempt ${step.attempt}` : "";
  return {
    key: step.id,
    kind: "step",
    title: step.typeName,
    status: step.status,
    detail: `Step ${step.step}${attempts}`,
    target: step.id,
    open,
  };
}

function moreNode(key: string, title: string): GraphNode {
  return { key, kind: "more", title, status: undefined, detail: "", target: undefined, open: false };
}

interface Drawn {
  readonly nodes: GraphNode[];
  readonly edges: GraphEdge[];
}

/** While a step waits, the blockers for which it waits are drawn, those that failed first, and the others are counted. */
function addBlockers(step: StepView, explanation: ExplanationView | undefined, { nodes, edges }: Drawn): void {
  const counts = explanation?.jobId === step.id ? explanation.blockers : undefined;
  const all = counts === undefined ? step.blockers.items.map(({ chain }) => chain) : (explanation?.blockedBy ?? []);
  const drawn = new Map(all.map((chain) => [chain.id, chain]));
  const shown = [...drawn.values()].slice(0, neighboursAtMost);
  for (const { id, typeName, status } of shown) {
    const key = `blocker ${step.id} ${id}`;
    nodes.push({ key, kind: "blocker", title: typeName, status, detail: "Blocker", target: id, open: false });
    edges.push({ from: key, to: step.id, kind: "blocks" });
  }
  const others = counts === undefined ? moreBlockers(step, drawn.size) : otherBlockers(counts, shown);
  for (const text of others) {
    const key = `${text} ${step.id}`;
    nodes.push(moreNode(key, text));
    edges.push({ from: key, to: step.id, kind: "blocks" });
  }
}

/** The blockers that are not drawn, by how far they are. */
function otherBlockers(
  { total, completed, failed }: ExplanationView["blockers"] & {},
  shown: ExplanationView["blockedBy"],
): readonly string[] {
  const drawnStopped = shown.filter(({ status }) => status !== "active").length;
  const stopped = failed - drawnStopped;
  const active = total - completed - failed - (shown.length - drawnStopped);
  return [
    stopped > 0 ? `${formatCount(stopped)} more failed` : "",
    active > 0 ? `${formatCount(active)} more active` : "",
    completed > 0 ? `${formatCount(completed)} completed` : "",
  ].filter((text) => text !== "");
}

function moreBlockers({ blockers }: StepView, known: number): readonly string[] {
  if (blockers.nextCursor !== undefined) return ["More blockers"];
  const more = known - neighboursAtMost;
  return more > 0 ? [`${more} more blockers`] : [];
}

function addDependents({ dependents }: ChainResponse, last: string, nodes: GraphNode[], edges: GraphEdge[]): void {
  for (const { id, chainId, typeName, status } of dependents.items.slice(0, neighboursAtMost)) {
    const key = `dependent ${id}`;
    nodes.push({
      key,
      kind: "dependent",
      title: typeName,
      status,
      detail: "Waits for this chain",
      target: chainId,
      open: false,
    });
    edges.push({ from: last, to: key, kind: "blocks" });
  }
  const more = dependents.items.length - neighboursAtMost;
  if (more <= 0 && dependents.nextCursor === undefined) return;
  nodes.push(
    moreNode("more-dependents", dependents.nextCursor === undefined ? `${more} more dependents` : "More dependents"),
  );
  edges.push({ from: last, to: "more-dependents", kind: "blocks" });
}
