import { ChevronsDownUp, ChevronsUpDown } from "lucide";
import { Button } from "../components/button.tsx";
import { CopyButton } from "../components/copy-button.tsx";
import { formatBytes } from "../format/number.ts";
import { JsonLines } from "./json-lines.tsx";
import type { JsonRow } from "./rows.ts";
import { useJsonTree } from "./tree.ts";

interface JsonViewProps {
  readonly value: unknown;
  readonly bytes: number;
  readonly label: string;
}

/** Longer texts are cut in their line and shown completely below the tree when selected. */
const longText = 90;

/** A payload as a tree, with its tools. */
export function JsonView({ value, bytes, label }: JsonViewProps) {
  const tree = useJsonTree(value);
  return (
    <div class="json">
      <div class="json-tools">
        <span class="muted">{formatBytes(bytes)}</span>
        <Button kind="quiet" small icon={ChevronsUpDown} label={`Expand ${label}`} onClick={tree.expand} />
        <Button kind="quiet" small icon={ChevronsDownUp} label={`Collapse ${label}`} onClick={tree.collapse} />
        <CopyButton label={`Copy ${label}`} text={() => JSON.stringify(value, undefined, 2)} />
      </div>
      <JsonLines tree={tree} label={label} />
      <LongText row={tree.rows.value[tree.chosen.value]} />
    </div>
  );
}

/** The complete text of a line that was cut. */
function LongText({ row }: { readonly row: JsonRow | undefined }) {
  const value = row?.value;
  if (typeof value !== "string" || (value.length <= longText && !value.includes("\n"))) return null;
  return (
    <div class="json-text">
      <div class="json-tools">
        <span class="muted">{row?.key ?? "text"}</span>
        <CopyButton label="Copy text" text={value} />
      </div>
      <pre tabIndex={0}>{value.length > 100_000 ? `${value.slice(0, 100_000)}\u2026` : value}</pre>
    </div>
  );
}
