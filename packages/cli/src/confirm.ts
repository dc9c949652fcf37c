import type { Call } from "./call.ts";
import { Refusal } from "./usage-error.ts";

/**
 * Asks before a change of more than one chain.
 *
 * @throws Refusal when the person does not say yes, or there is no terminal and no `--yes`
 */
export async function confirm(
  { surroundings }: Call,
  question: string,
  { yes }: { readonly yes?: true | undefined },
): Promise<void> {
  if (yes === true) return;
  const reply = await surroundings.ask(`${question} [y/N] `);
  if (reply === undefined) {
    const message = `there is no terminal to ask "${question}"; nothing was changed. Pass --yes, or --dry-run to see what would be done`;
    throw new Refusal("not-confirmed", message);
  }
  if (!/^y(es)?$/i.test(reply.trim())) throw new Refusal("not-confirmed", "nothing was changed");
}
