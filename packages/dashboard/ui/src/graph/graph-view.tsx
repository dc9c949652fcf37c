import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { StatusIcon, statusLabel } from "../components/status.tsx";
import { Link } from "../routing/link.tsx";
import { chainHref } from "../routing/place.ts";
import type { ChainGraph } from "./chain-graph.ts";
import { drawingOf, nodeHeight, nodeWidth, type PlacedNode } from "./layout.ts";

interface GraphViewProps {
  readonly graph: ChainGraph;
  readonly chosen: string | undefined;
  readonly onChoose: (stepId: string) => void;
}

const narrow = matchMedia("(max-width: 640px)");

/** Draws the graph of a chain. A click on a step shows its details below; other chains are links. */
export function GraphView({ graph, chosen, onChoose }: GraphViewProps) {
  const box = useRef<HTMLDivElement>(null);
  const isNarrow = useSignal(narrow.matches);
  const drawing = useMemo(() => drawingOf(graph, isNarrow.value ? "down" : "right"), [graph, isNarrow.value]);

  useEffect(() => {
    const follow = () => {
      isNarrow.value = narrow.matches;
    };
    narrow.addEventListener("change", follow);
    return () => narrow.removeEventListener("change", follow);
  }, []);

  // Scrolls to the open step, the most likely reason for the visit.
  useEffect(() => {
    const open = drawing.nodes.find((node) => node.open);
    if (open !== undefined) box.current?.scrollTo({ left: open.x - box.current.clientWidth / 2 + nodeWidth / 2 });
  }, []);

  const size = { width: `${drawing.width}px`, height: `${drawing.height}px` };
  return (
    <div class="graph" ref={box} role="group" aria-label="Steps, blockers and dependents" tabIndex={0}>
      <div class="graph-plane" style={size}>
        <svg class="graph-edges" width={drawing.width} height={drawing.height} aria-hidden="true">
          <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0,0.8 L7,4 L0,7.2 z" />
          </marker>
          {drawing.edges.map(({ from, to, kind, path }) => (
            <path key={`${from} ${to}`} d={path} class="graph-edge" data-kind={kind} marker-end="url(#arrow)" />
          ))}
        </svg>
        {drawing.nodes.map((node) => (
          <Box key={node.key} node={node} chosen={node.kind === "step" && node.target === chosen} onChoose={onChoose} />
        ))}
      </div>
    </div>
  );
}

interface BoxProps {
  readonly node: PlacedNode;
  readonly chosen: boolean;
  readonly onChoose: (stepId: string) => void;
}

function Box({ node, chosen, onChoose }: BoxProps) {
  const { kind, status, target, title } = node;
  const place = { left: `${node.x}px`, top: `${node.y}px`, width: `${nodeWidth}px`, height: `${nodeHeight}px` };
  return (
    <div class="graph-place" style={place}>
      {kind === "step" && target !== undefined ? (
        <button
          type="button"
          class="graph-node"
          data-kind={kind}
          data-state={status}
          data-open={node.open}
          aria-pressed={chosen}
          title={title}
          onClick={() => onChoose(target)}
        >
          <BoxText node={node} />
        </button>
      ) : target === undefined ? (
        <div class="graph-node" data-kind={kind}>
          <span class="graph-title muted">{title}</span>
        </div>
      ) : (
        <Link href={chainHref(target)} class="graph-node graph-link" title={title} state={status} kind={kind}>
          <BoxText node={node} />
        </Link>
      )}
    </div>
  );
}

function BoxText({ node: { title, status, detail, open } }: { readonly node: PlacedNode }) {
  return (
    <>
      <span class="graph-title">{title}</span>
      <span class="graph-detail">
        {status === undefined ? null : (
          <span class="graph-state">
            <StatusIcon status={status} />
            {statusLabel(status)}
          </span>
        )}
        <span class="graph-note">{detail}</span>
        {open ? <span class="graph-open">Open</span> : null}
      </span>
    </>
  );
}
