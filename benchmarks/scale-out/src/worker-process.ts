import { joinPost, type Worksite } from "./worksite.ts";
import type { Message, Request, Usage } from "./messages.ts";

let worksite: Worksite | undefined;

// The parent ended, in whichever way.
process.once("disconnect", () => process.exit(0));
process.on("message", (request: Request) => {
  respond(request)
    .then((usage) => send({ usage }))
    .catch((error: unknown) =>
      send({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
});

async function respond(request: Request): Promise<Usage> {
  if (request.ask === "join") worksite = await joinPost(request.post, send);
  else if (worksite === undefined) throw new Error(`"${request.ask}" came before "join"`);
  else await worksite.obey(request);
  return worksite.usage();
}

function send(message: Message): void {
  if (process.connected) process.send?.(message);
}
