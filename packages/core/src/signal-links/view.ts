/**
 * What a page of a link says.
 *
 * - `ask`: what would happen, and a button that sends the form
 * - `sent`: the signal was sent
 * - `sent-before`: this link, or another one made together with it, has been used; nothing was written
 * - `expired`: its time is over; nothing was written
 * - `over`: its chain has ended, or does not exist; nothing was written
 * - `not-valid`: it was changed or cut off; nothing was written
 */
export type LinkState = "ask" | "sent" | "sent-before" | "expired" | "over" | "not-valid";

/**
 * What a page of a link shows.
 *
 * @example
 * const render = ({ state, description }: SignalLinkView) =>
 *   state === "ask" ? `<h1>${description}</h1><form method="post"><button>Yes</button></form>` : `<h1>${state}</h1>`;
 */
export interface SignalLinkView {
  readonly state: LinkState;
  /** What `describe` has returned, as plain text: escape it. Undefined: there is no `describe`, or the link is not valid. */
  readonly description: string | undefined;
}
