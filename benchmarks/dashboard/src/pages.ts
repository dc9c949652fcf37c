import type { AnyClient } from "chainwright";

/** A request that a page of the dashboard makes. */
export interface Page {
  readonly name: string;
  readonly path: string;
  readonly body?: object;
}

const hourMs = 3_600_000;

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
    { name: "chains by the beginning of an id", path: `-/chains?id=${id.slice(0, 8)}` },
    { name: "chains by the beginning of an id (none)", path: "-/chains?id=01000000" },
    { name: "chains by tag", path: "-/chains?tag=tenant%3Dacme" },
    { name: "chains by two tags", path: "-/chains?tag=tenant%3Dacme&tag=order%3D7" },
    { name: "chain by deduplication key", path: "-/chains?key=order+7" },
    { name: "chains by a value in the input", path: "-/chains?input=to%3Dsomebody%40example.com" },
    { name: "chains by a value in the input (none)", path: "-/chains?input=orderId%3D-1" },
    { name: "chains at a step that waits", path: "-/chains?step=ready" },
    { name: "chains at a step of a type", path: "-/chains?stepType=order.place&step=ready" },
    { name: "a chain with a blocker", path: `-/chain?id=${id}` },
    { name: "a step", path: `-/job?id=${id}` },
    { name: "failed, grouped", path: "-/failed" },
    { name: "failed of a type that has none", path: "-/failed?typeName=order.charge" },
    { name: "failed in the last hour", path: `-/failed?since=${Date.now() - hourMs}` },
    { name: "schedule", path: "-/schedule" },
    { name: "schedules", path: "-/schedules" },
    { name: "a schedule", path: "-/recurring?id=letters+7" },
    { name: "limits", path: "-/limits" },
    { name: "limits, a key", path: "-/limits?limit=customer&key=customer+7" },
    { name: "history of an hour", path: "-/history?over=hour" },
    { name: "history of a day", path: "-/history?over=day" },
    { name: "history of a type", path: "-/history?over=day&typeName=mail.send" },
    { name: "lost workers", path: "-/lost" },
    { name: "preview of a retry", path: "-/preview", body: { action: "retry", ids: [failed?.id] } },
  ];
}
