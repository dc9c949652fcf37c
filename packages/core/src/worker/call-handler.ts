import { checkAdded } from "./added-context.ts";
import { checkLife, type AttemptLife } from "./attempt-life.ts";
import type { ErasedMiddleware, Processor } from "./processor.ts";

/** Calls the handler inside its middleware, the first one outermost. Layers and the handler see what outer layers add to the context. */
export function callHandler(processor: Processor, context: object, life: AttemptLife): unknown {
  const { middleware, handler } = processor;
  if (middleware.length === 0) return handler(context);
  const callFrom = async (index: number): Promise<unknown> => {
    const layer: ErasedMiddleware | undefined = middleware[index];
    if (layer === undefined) return await handler(context);
    return await layer(context, async (extra) => {
      checkLife(life);
      if (extra !== undefined) Object.assign(context, checkAdded(extra, life.job.typeName));
      return callFrom(index + 1);
    });
  };
  return callFrom(0);
}
