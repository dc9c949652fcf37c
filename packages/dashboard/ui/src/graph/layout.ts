import { Graph, layout } from "@dagrejs/dagre";
import type { ChainGraph, GraphEdge, GraphNode } from "./chain-graph.ts";

export const nodeWidth = 190;
export const nodeHeight = 58;

export interface PlacedNode extends GraphNode {
  /** Position of the upper left corner. */
  readonly x: number;
  readonly y: number;
}

export interface PlacedEdge extends GraphEdge {
  /** The `d` of an SVG path. */
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

/** Places the boxes from left to right, or downwards if the page is narrow. */
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
      const [from, to] = [graph.node(edge.from), graph.node(edge.to)] as [Point, Point];
      return { ...edge, path: curve(from, points.slice(1, -1), to, direction) };
    }),
  };
}

/** Draws a line from the middle of one side to the middle of the opposite side, around the boxes in between. */
function curve(from: Point, between: readonly Point[], to: Point, direction: "right" | "down"): string {
  const ends =
    direction === "right"
      ? [
          { x: from.x + nodeWidth / 2, y: from.y },
          { x: to.x - nodeWidth / 2, y: to.y },
        ]
      : [
          { x: from.x, y: from.y + nodeHeight / 2 },
          { x: to.x, y: to.y - nodeHeight / 2 },
        ];
  // A single point between neighbours only marks the border of their ranks.
  const points = [ends[0], ...(between.length > 1 ? between : []), ends[1]].filter((point) => point !== undefined);
  return points
    .map((point, index) => {
      const before = points[index - 1];
      if (before === undefined) return `M${point.x},${point.y}`;
      const half = direction === "right" ? (before.x + point.x) / 2 : (before.y + point.y) / 2;
      return direction === "right"
        ? `C${half},${before.y} ${half},${point.y} ${point.x},${point.y}`
        : `C${before.x},${half} ${point.x},${half} ${point.x},${point.y}`;
    })
    .join(" ");
}
