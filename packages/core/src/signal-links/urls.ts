import {
  checkDuration,
  checkId,
  checkKeys,
  checkName,
  checkText,
  given,
  invalid,
  type OptionKeys,
} from "../checks/check-options.ts";
import { serialize } from "../checks/json.ts";
import type { Keys } from "./keys.ts";
import { writeToken } from "./token.ts";

/** A link of which the types are not known any more. */
export interface ErasedLink {
  readonly id: string;
  readonly typeName: string;
  readonly signal: string;
  readonly payload: unknown;
  readonly expiresInMs: number;
}

/** Links of which one may work. */
export interface ErasedChoices {
  readonly id: string;
  readonly typeName: string;
  readonly expiresInMs: number;
  readonly choices: Readonly<Record<string, { readonly signal: string; readonly payload: unknown }>>;
}

export interface ErasedUrls {
  url(link: ErasedLink): Promise<string>;
  urls(choices: ErasedChoices): Promise<Readonly<Record<string, string>>>;
}

/** Mail programs and proxies cut off longer ones. */
const longestUrl = 2_000;
const longestSignal = 500;

const linkKeys = { id: true, typeName: true, signal: true, payload: true, expiresInMs: true } satisfies Record<
  keyof ErasedLink,
  true
>;
const choicesKeys = { id: true, typeName: true, expiresInMs: true, choices: true } satisfies Record<
  keyof ErasedChoices,
  true
>;
const choiceKeys: OptionKeys = { signal: true, payload: true };

export function createUrls(keys: () => Promise<Keys>, basePath: string, now: () => number): ErasedUrls {
  const write = async (link: ErasedLink, signalId: string): Promise<string> => {
    const { expiresInMs, ...signal } = checkLink(link);
    const url = `${basePath}/${await writeToken(await keys(), { ...signal, signalId, expiresAt: now() + expiresInMs })}`;
    if (url.length <= longestUrl) return url;
    throw invalid(
      `a link must have at most ${longestUrl} characters; got ${url.length}. Put ids into its payload, and not what they name.`,
    );
  };
  return {
    url(link) {
      checkKeys(link, linkKeys, "url");
      return write(link, crypto.randomUUID());
    },
    async urls(options) {
      checkKeys(options, choicesKeys, "urls");
      const { choices, ...shared } = options;
      const signalId = crypto.randomUUID();
      const entries = Object.entries(given(choices, "choices")).map(async ([name, choice]) => {
        checkKeys(choice, choiceKeys, `choices.${name}`);
        return [name, await write({ ...shared, ...choice }, signalId)] as const;
      });
      return Object.fromEntries(await Promise.all(entries));
    },
  };
}

function checkLink({ id, typeName, signal, payload, expiresInMs }: ErasedLink): ErasedLink {
  return {
    id: checkId(id, "id"),
    typeName: checkName(typeName, "typeName"),
    signal: checkText(signal, "signal", longestSignal),
    payload: JSON.parse(serialize(payload, "payload", longestUrl)) as unknown,
    expiresInMs: checkDuration(expiresInMs, "expiresInMs", 1),
  };
}
