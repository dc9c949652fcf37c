import type { Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { hrefTo, navigate } from "../routing/place.ts";
import { Dialog } from "./dialog.tsx";

const goTo: Readonly<Record<string, readonly [path: string, name: string]>> = {
  o: ["", "Overview"],
  c: ["chains", "Chains"],
  f: ["failed", "Failed"],
  d: ["schedule", "Due later"],
  s: ["schedules", "Schedules"],
  l: ["limits", "Limits"],
};

const pairWithinMs = 1_500;

/** Keyboard shortcuts, disabled while a field has the focus or a dialog is open. */
export function useShortcuts(help: Signal<boolean>): void {
  useEffect(() => {
    let wentAt = 0;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isBusy(event.target)) return;
      const afterG = event.timeStamp - wentAt < pairWithinMs;
      wentAt = event.key === "g" ? event.timeStamp : 0;
      const target = goTo[event.key];
      if (afterG && target !== undefined) navigate(hrefTo(target[0]));
      else if (event.key === "?") help.value = true;
      else if (event.key === "j" || event.key === "k") moveRow(event.key === "j" ? 1 : -1);
      else if (event.key === "x") document.activeElement?.closest("tr")?.querySelector("input")?.click();
      else if (event.key === "/") {
        const field = document.querySelector<HTMLInputElement>('[data-shortcut="/"]');
        if (field === null) return;
        event.preventDefault();
        field.focus();
        field.select();
      }
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}

/** Moves the focus to the link of the next or previous row of a list; Enter follows it. */
function moveRow(by: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>("main tbody th a, main .group-chains[open] a")];
  const row = document.activeElement?.closest("tr, li");
  const place = links.findIndex((link) => row?.contains(link) === true);
  const next = links[place === -1 ? (by === 1 ? 0 : links.length - 1) : place + by];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function isBusy(target: EventTarget | null): boolean {
  if (document.querySelector("dialog[open]") !== null) return true;
  return target instanceof HTMLElement && target.matches("input:not([type=checkbox]), textarea, select, [role=tree]");
}

export function Shortcuts({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="shortcuts dialog-body">
        {Object.entries(goTo).map(([key, [, name]]) => (
          <div key={key}>
            <dt>{name}</dt>
            <dd>
              <kbd>g</kbd> <kbd>{key}</kbd>
            </dd>
          </div>
        ))}
        <div>
          <dt>Next and previous row, select it</dt>
          <dd>
            <kbd>j</kbd> <kbd>k</kbd> <kbd>x</kbd>
          </dd>
        </div>
        <div>
          <dt>Find a chain by its id</dt>
          <dd>
            <kbd>/</kbd>
          </dd>
        </div>
        <div>
          <dt>These shortcuts</dt>
          <dd>
            <kbd>?</kbd>
          </dd>
        </div>
        <div>
          <dt>Open, close and move in a payload</dt>
          <dd>
            <kbd>&larr;</kbd> <kbd>&uarr;</kbd> <kbd>&darr;</kbd> <kbd>&rarr;</kbd>
          </dd>
        </div>
      </dl>
    </Dialog>
  );
}
