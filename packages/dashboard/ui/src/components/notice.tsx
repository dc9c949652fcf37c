import { CircleAlert, LogIn, RotateCw, type IconNode } from "lucide";
import type { ComponentChildren } from "preact";
import { ApiError } from "../data/api.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

interface EmptyProps {
  readonly icon: IconNode;
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** Shown instead of an empty list. */
export function Empty({ icon, title, children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon of={icon} />
      <p class="empty-title">{title}</p>
      {children === undefined ? null : <p class="muted">{children}</p>}
    </div>
  );
}

/** An error that prevents showing something. */
export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const logId = error instanceof ApiError ? error.logId : undefined;
  return (
    <div class="failure" role="alert">
      <Icon of={CircleAlert} />
      <div class="failure-text">
        <p class="failure-title">{titleOf(error)}</p>
        <p class="muted">{error instanceof Error ? error.message : "Something went wrong."}</p>
        {logId === undefined ? null : (
          <p class="muted">
            The server&rsquo;s log has the details under <code>{logId}</code>.
          </p>
        )}
      </div>
      {isSignedOut(error) ? (
        <Button icon={LogIn} kind="primary" onClick={() => location.reload()}>
          Sign in again
        </Button>
      ) : onRetry === undefined ? null : (
        <Button icon={RotateCw} onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** A whole page, unlike a request of its script, may be led to a sign-in and back here. */
function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.code === "unauthorised";
}

function titleOf(error: unknown): string {
  const code = error instanceof ApiError ? error.code : "";
  if (code === "unauthorised") return "You are signed out";
  if (code === "read-only") return "The database takes no writes";
  if (code === "forbidden") return "Your role does not permit this";
  if (code === "chain-not-found" || code === "job-not-found" || code === "schedule-not-found" || code === "not-found")
    return "Not found";
  if (code === "store-unavailable") return "The database cannot be reached";
  if (code === "unreachable") return "The server cannot be reached";
  return "This could not be loaded";
}

/** Placeholder lines for rows that are being loaded. */
export function Loading({ rows = 6, label = "Loading" }: { readonly rows?: number; readonly label?: string }) {
  return (
    <div class="loading" role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} class="loading-row" />
      ))}
    </div>
  );
}
