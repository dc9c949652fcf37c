import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface PanelProps {
  readonly title: string;
  /** A count or a note beside the title. */
  readonly note?: ComponentChildren;
  /** Buttons at the right end of the title. */
  readonly tools?: ComponentChildren;
  readonly flush?: boolean | undefined;
  readonly children: ComponentChildren;
}

/** A section of a page with a title. */
export function Panel({ title, note, tools, flush = false, children }: PanelProps) {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id}>
      <div class="panel-head">
        <h2 id={id}>{title}</h2>
        {note === undefined ? null : <span class="muted panel-note">{note}</span>}
        {tools === undefined ? null : <div class="panel-tools">{tools}</div>}
      </div>
      <div class={flush ? "panel-body panel-flush" : "panel-body"}>{children}</div>
    </section>
  );
}
