import type { AnyClient } from "chainwright";

/** A request that a page of the dashboard makes. */
export interface Page {
  readonly name: string;
  readonly path: string;
  readonly body?: object;
}

/** Each page with the filters that find much, little, and what is at the far end of the history. */
export async function pagesOf(client: AnyClient): Promise<readonly Page[]> {
  const [order] = (await client.listChains({ typeName: "order.place", limit: 1 })).items;
  const [oldest] = (await client.listChains({ order: "oldest", limit: 1 })).items;
  const [failed] = (await client.listChains({ status: "failed", limit: 1 })).items;
  const id = order?.id ?? "";
  const from = oldest?.createdAt.getTime() ?? 0;
  return [
    { name: "overview", path: "-/overview" },
    { name: "chains, newest", path: "-/chains" },
    { name: "chains, oldest", path: "-/chains?order=oldest" },
    { name: "chains, active", path: "-/chains?status=active" },
    { name: "chains, completed", path: "-/chains?status=completed" },
    { name: "chains, failed", path: "-/chains?status=failed" },
    { name: "chains, cancelled (none)", path: "-/chains?status=cancelled" },
    { name: "chains of a frequent type", path: "-/chains?typeName=mail.send" },
    { name: "chains of a rare type, long ago", path: "-/chains?typeName=report.print" },
    { name: "chains of a type that is none", path: "-/chains?typeName=nothing" },
    { name: "chains of the first second", path: `-/chains?from=${from}&until=${from + 1_000}` },
    { name: "chains by error text", path: "-/chains?errorText=is+full" },
    { name: "chains by error text (none)", path: "-/chains?errorText=nothing" },
    { name: "chain by id", path: `-/chains?id=${id}` },
    { name: "a chain with a blocker", path: `-/chain?id=${id}` },
    { name: "a step", path: `-/job?id=${id}` },
    { name: "failed, grouped", path: "-/failed" },
    { name: "failed of a type that has none", path: "-/failed?typeName=order.charge" },
    { name: "schedule", path: "-/schedule" },
    { name: "preview of a retry", path: "-/preview", body: { action: "retry", ids: [failed?.id] } },
  ];
}
