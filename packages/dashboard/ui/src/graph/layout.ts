import { Graph, layout } from "@dagrejs/dagre";
import type { ChainGraph, GraphEdge, GraphNode } from "./chain-graph.ts";

export const nodeWidth = 190;
export const nodeHeight = 58;

export interface PlacedNode extends GraphNode {
  /** Of its left upper corner. */
  readonly x: number;
  readonly y: number;
}

export interface PlacedEdge extends GraphEdge {
  /** As in the `d` of an SVG path. */
  readonly path: string;
}

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Where everything stands: from left to right, or downwards where there is little width. */
export function drawingOf({ nodes, edges }: ChainGraph, direction: "right" | "down"): Drawing {
  const graph = new Graph();
  graph.setGraph({
    rankdir: direction === "right" ? "LR" : "TB",
    nodesep: 18,
    ranksep: direction === "right" ? 46 : 34,
    marginx: 12,
    marginy: 14,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { key } of nodes) graph.setNode(key, { width: nodeWidth, height: nodeHeight });
  for (const { from, to } of edges) graph.setEdge(from, to);
  layout(graph);

  const size = graph.graph() as { readonly width?: number; readonly height?: number };
  return {
    width: size.width ?? 0,
    height: size.height ?? 0,
    nodes: nodes.map((node) => {
      const { x, y } = graph.node(node.key) as Point;
      return { ...node, x: x - nodeWidth / 2, y: y - nodeHeight / 2 };
    }),
    edges: edges.map((edge) => {
      const { points } = graph.edge(edge.from, edge.to) as { readonly points: readonly Point[] };
      return { ...edge, path: curveThrough(points) };
    }),
  };
}

/** Straight at both ends, rounded at the points between. */
function curveThrough(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const last = rest.pop();
  if (first === undefined || last === undefined) return "";
  let path = `M${first.x},${first.y}`;
  rest.forEach((point, index) => {
    const next = rest[index + 1] ?? last;
    const middle = index === rest.length - 1 ? last : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    path += ` Q${point.x},${point.y} ${middle.x},${middle.y}`;
  });
  return rest.length === 0 ? `${path} L${last.x},${last.y}` : path;
}
