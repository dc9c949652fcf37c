import { checkKeys, invalid, show, type OptionKeys } from "../checks/check-options.ts";
import { checkSecrets, importKeys, type Keys } from "./keys.ts";
import { createUrls, type ErasedUrls } from "./urls.ts";
import { renderPage } from "./page.ts";
import { answer, type LinkStore } from "./respond.ts";
import { isFromOtherSite, pageResponse, plainResponse } from "./response.ts";
import { readToken, type LinkedSignal } from "./token.ts";
import type { SignalLinkView } from "./view.ts";

/** What links need of a client, with erased types. */
interface SignalSender {
  signalChain(options: {
    readonly id: string;
    readonly typeName: string;
    readonly signal: string;
    readonly payload: unknown;
    readonly signalId: string;
  }): Promise<{ readonly delivered: "taken" | "buffered" | "deduplicated" }>;
}

export interface ErasedOptions {
  readonly client: SignalSender;
  readonly secrets: readonly (string | undefined)[];
  readonly basePath: string;
  readonly describe?: ((linked: LinkedSignal) => string) | undefined;
  readonly render?: ((view: SignalLinkView) => string) | undefined;
}

export interface ErasedSignalLinks extends ErasedUrls {
  readonly fetch: (request: Request) => Promise<Response>;
}

const optionKeys: OptionKeys = {
  client: true,
  secrets: true,
  basePath: true,
  describe: true,
  render: true,
} satisfies Record<keyof ErasedOptions, true>;

const allowed = ["GET", "HEAD", "POST"];

export function createErasedLinks(options: ErasedOptions): ErasedSignalLinks {
  checkKeys(options, optionKeys, "createSignalLinks");
  const { client, basePath, describe, render = renderPage } = options;
  const secrets = checkSecrets(options.secrets);
  let imported: Promise<Keys> | undefined;
  const keys = (): Promise<Keys> => (imported ??= importKeys(secrets));
  const store: LinkStore = {
    read: async (token) => await readToken(await keys(), token),
    async send({ id, typeName, signal, payload, signalId }) {
      const { delivered } = await client.signalChain({ id, typeName, signal, payload, signalId });
      return { isFirst: delivered !== "deduplicated" };
    },
    now: Date.now,
  };
  return {
    ...createUrls(keys, checkBasePath(basePath), Date.now),
    async fetch(request) {
      if (!allowed.includes(request.method))
        return plainResponse(405, "Method not allowed.", { allow: allowed.join(", ") });
      if (isFromOtherSite(request))
        return plainResponse(403, "The form was sent by another site. Open the link again.");
      const { state, linked } = await answer(request, store);
      const description = linked === undefined ? undefined : describe?.(linked);
      return pageResponse(state, render({ state, description }));
    },
  };
}

/** Without a slash at its end. */
function checkBasePath(basePath: unknown): string {
  if (typeof basePath === "string" && /^(?:\/[\w.~-]+)+\/?$/.test(basePath)) return basePath.replace(/\/$/, "");
  throw invalid(`basePath must be a path such as "/approve"; got ${show(basePath)}.`);
}
