import { h } from "preact";
import type { IconNode } from "lucide";

interface IconProps {
  readonly of: IconNode;
  readonly class?: string | undefined;
}

/** A decorative icon beside a text; hidden from screen readers. */
export function Icon({ of, class: className = "" }: IconProps) {
  return (
    <svg
      class={`icon ${className}`}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {of.map(([tag, attributes]) => h(tag, attributes))}
    </svg>
  );
}
