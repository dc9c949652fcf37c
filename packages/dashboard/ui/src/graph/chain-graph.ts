import type { ChainResponse } from "../../../src/protocol/reads.ts";
import type { ChainStatus, JobStatus, StepView } from "../../../src/protocol/views.ts";

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
    if (each.kind === "step") addBlockers(each.step, nodes, edges);
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
    return left > 0 ? [{ kind: "gap", text: `${left} more steps` }, node] : [node];
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

function addBlockers(step: StepView, nodes: GraphNode[], edges: GraphEdge[]): void {
  for (const { chain, position } of step.blockers.items.slice(0, neighboursAtMost)) {
    const key = `blocker ${step.id} ${position}`;
    nodes.push({
      key,
      kind: "blocker",
      title: chain.typeName,
      status: chain.status,
      detail: "Blocker",
      target: chain.id,
      open: false,
    });
    edges.push({ from: key, to: step.id, kind: "blocks" });
  }
  const more = step.blockers.items.length - neighboursAtMost;
  if (more <= 0 && step.blockers.nextCursor === undefined) return;
  const key = `more-blockers ${step.id}`;
  nodes.push(moreNode(key, step.blockers.nextCursor === undefined ? `${more} more blockers` : "More blockers"));
  edges.push({ from: key, to: step.id, kind: "blocks" });
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
