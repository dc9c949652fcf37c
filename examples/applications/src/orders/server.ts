// The web server: an order and its chain are written in one transaction. It runs no steps.
import Fastify from "fastify";
import { z } from "zod";
import { client, close } from "./client.ts";
import { lines, orders } from "./database.ts";

const newOrder = z.object({ id: z.string().min(1), skus: z.array(z.string()).min(1) });
const app = Fastify();

app.post("/orders", async (request, reply) => {
  const { id, skus } = newOrder.parse(request.body);
  await client.transaction(async (tx) => {
    await tx.insert(orders).values({ id, status: "placed" });
    await tx.insert(lines).values(skus.map((sku) => ({ orderId: id, sku })));
    const input = { orderId: id };
    await client.startChain({ tx, typeName: "order.place", input, tags: input, whenStopped: "order.refuse" });
  });
  return reply.code(202).send({ id });
});

app.get<{ Params: { id: string } }>("/orders/:id", async (request, reply) => {
  const { items } = await client.listChains({ typeName: "order.place", tags: { orderId: request.params.id } });
  const [chain] = items;
  if (chain === undefined) return reply.code(404).send({ error: "there is no such order" });
  return { progress: chain.status, error: chain.status === "failed" ? chain.error.message : undefined };
});

const address = await app.listen({ port: 0, host: "127.0.0.1" });
console.log(address);
process.once("SIGTERM", () => {
  void (async () => {
    await app.close();
    await close();
  })();
});
