import { X } from "lucide";
import type { ComponentChildren } from "preact";
import type { Selection } from "../data/selection.ts";
import { counted } from "../format/number.ts";
import { Button } from "./button.tsx";

interface SelectionBarProps {
  readonly selection: Selection;
  readonly noun: string;
  readonly children: ComponentChildren;
}

/** Actions for the selected rows. */
export function SelectionBar({ selection, noun, children }: SelectionBarProps) {
  const count = selection.ids.value.size;
  if (count === 0) return null;
  return (
    <div class="selection" role="region" aria-label="Selection">
      <span class="nowrap">{counted(count, noun)} selected</span>
      {children}
      <Button kind="quiet" icon={X} label="Clear selection" onClick={() => selection.set([])} />
    </div>
  );
}
