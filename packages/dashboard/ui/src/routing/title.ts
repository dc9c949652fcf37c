import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** What the shown page calls itself; undefined: its section's name is enough. */
export const ownTitle = signal<string | undefined>(undefined);

/** Names what is shown in the browser's tab, so that tabs can be told apart. */
export function useTitle(title: string): void {
  useEffect(() => {
    ownTitle.value = title;
    return () => {
      ownTitle.value = undefined;
    };
  }, [title]);
}
