import { createClient, createInProcessStateAdapter, createProcessors, createWorker, defineJobTypes } from "chainwright";
import { createSignalLinks, type SignalLinkView } from "chainwright/signal-links";
import { describe, expect, it, onTestFinished, vi } from "vitest";

const jobTypes = defineJobTypes<{
  ask: {
    entry: true;
    input: null;
    signals: { yes: { by: string }; no: { by: string } };
    output: string;
  };
}>();
const oldSecret = "an old secret of thirty characters";
const secret = "a secret of at least 22 characters";
const dayMs = 86_400_000;

async function createStage() {
  const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes, observers: [] });
  const processors = createProcessors({
    client,
    jobTypes,
    processors: {
      ask: async ({ job: { received } }) =>
        received === undefined ? "late" : `${received.signal} ${received.payload.by}`,
    },
  });
  const worker = createWorker({ client, processors: [processors] });
  await worker.start();
  onTestFinished(() => worker.stop());
  const chain = await client.startChain({ typeName: "ask", input: null, waitUntil: "forever" });
  const links = createSignalLinks({ client, secrets: [secret], basePath: "/answer" });
  const link = { id: chain.id, typeName: "ask", signal: "yes", payload: { by: "Ada" }, expiresInMs: dayMs } as const;
  return { client, chain, links, link };
}

type Links = Awaited<ReturnType<typeof createStage>>["links"];

async function visit(links: Links, path: string, init?: RequestInit) {
  const response = await links.fetch(new Request(`https://app.example.com${path}`, init));
  const text = await response.text();
  return { response, text, heading: /<h1>(.*)<\/h1>/.exec(text)?.[1] };
}

/** Of a second answer: the worker may have ended the chain by then. */
const refusals = ["Already answered", "This is over"];
const post = { method: "POST", headers: { "sec-fetch-site": "same-origin" } };

describe("a signal link", () => {
  it("shows a form to everyone who opens it, and sends the signal only when the form is posted", async () => {
    const { client, chain, links, link } = await createStage();
    const url = await links.url(link);
    for (const method of ["GET", "HEAD", "GET"]) {
      const { response } = await visit(links, url, { method });
      expect(response.status).toBe(200);
      expect(response.headers.get("referrer-policy")).toBe("no-referrer");
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(response.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    }
    expect((await client.listSignals({ id: chain.id })).items).toEqual([]);
    expect((await visit(links, url)).text).toContain('<form method="post">');
    expect((await visit(links, url, post)).heading).toBe("Thank you");
    expect((await client.awaitChain(chain)).output).toBe("yes Ada");
  });

  it("works once, also if two people press the button at the same time", async () => {
    const { client, chain, links, link } = await createStage();
    const url = await links.url(link);
    const visits = await Promise.all([visit(links, url, post), visit(links, url, post)]);
    const headings = visits.map(({ heading = "" }) => heading);
    expect(headings.filter((heading) => heading === "Thank you")).toHaveLength(1);
    expect(refusals).toContain(headings.find((heading) => heading !== "Thank you"));
    await client.awaitChain(chain);
    expect((await client.listSignals({ id: chain.id })).items).toHaveLength(1);
  });

  it("of several that were made together, works only if none of the others was used", async () => {
    const { client, links } = await createStage();
    const chain = await client.startChain({ typeName: "ask", input: null, waitUntil: "forever" });
    const payload = { by: "Grace" };
    const { no, yes } = await links.urls({
      id: chain.id,
      typeName: "ask",
      expiresInMs: dayMs,
      choices: { yes: { signal: "yes", payload }, no: { signal: "no", payload } },
    });
    expect((await visit(links, no, post)).heading).toBe("Thank you");
    expect(refusals).toContain((await visit(links, yes, post)).heading);
    expect((await client.awaitChain(chain)).output).toBe("no Grace");
    expect((await client.listSignals({ id: chain.id })).items.map(({ signal }) => signal)).toEqual(["no"]);
  });

  it("works wherever it is mounted, whether or not the router removes the path before it", async () => {
    const { links, link } = await createStage();
    const token = (await links.url(link)).slice("/answer".length);
    expect((await visit(links, token, post)).heading).toBe("Thank you");
  });

  it("expires, and then writes nothing", async () => {
    const { client, chain, links, link } = await createStage();
    const url = await links.url({ ...link, expiresInMs: 1 });
    await vi.waitUntil(async () => (await visit(links, url)).heading === "This link has expired");
    const { response } = await visit(links, url, post);
    expect(response.status).toBe(410);
    expect((await client.listSignals({ id: chain.id })).items).toEqual([]);
  });

  it("that was changed in any character is not valid", async () => {
    const { client, chain, links, link } = await createStage();
    const url = await links.url(link);
    const { text: expected, response } = await visit(links, "/answer/x", post);
    expect(response.status).toBe(404);
    const token = url.slice("/answer/".length);
    for (let at = 0; at < token.length; at += 1) {
      // The last character of the signature has bits that are not part of it.
      const character = token[at] === "A" ? "Q" : "A";
      const changed = `/answer/${token.slice(0, at)}${character}${token.slice(at + 1)}`;
      expect((await visit(links, changed, post)).text, `character ${at}`).toBe(expected);
      expect((await visit(links, `/answer/${token.slice(0, at)}`, post)).text, `cut at ${at}`).toBe(expected);
    }
    for (const path of ["/answer/", "/answer/.", "/answer/a.b.c", "/answer/%00", "/answer/ä.ö"])
      expect((await visit(links, path, post)).text, path).toBe(expected);
    expect((await client.listSignals({ id: chain.id })).items).toEqual([]);
  });

  it("of a chain that has ended says the same as one of a chain that never was", async () => {
    const { client, chain, links, link } = await createStage();
    const url = await links.url(link);
    await client.cancelChain({ id: chain.id });
    const { text, heading, response } = await visit(links, url, post);
    expect(heading).toBe("This is over");
    expect(response.status).toBe(410);
    const unknown = await links.url({ ...link, id: "01890000-0000-7000-8000-000000000000" });
    expect((await visit(links, unknown, post)).text).toBe(text);
  });

  it("refuses a form that another site sends", async () => {
    const { client, chain, links, link } = await createStage();
    const url = await links.url(link);
    for (const site of ["cross-site", "same-site", "none"]) {
      const { response } = await visit(links, url, { method: "POST", headers: { "sec-fetch-site": site } });
      expect(response.status, site).toBe(403);
    }
    expect((await visit(links, url, { method: "DELETE" })).response.status).toBe(405);
    expect((await client.listSignals({ id: chain.id })).items).toEqual([]);
  });

  it("of an older secret works as long as the secret is in the list, and not with any other", async () => {
    const { client, link } = await createStage();
    const before = createSignalLinks({ client, secrets: [oldSecret], basePath: "/answer" });
    const both = createSignalLinks({ client, secrets: [secret, oldSecret], basePath: "/answer" });
    const after = createSignalLinks({ client, secrets: [secret], basePath: "/answer" });
    const url = await before.url(link);
    expect((await visit(after, url)).response.status).toBe(404);
    expect((await visit(both, url, post)).heading).toBe("Thank you");
    expect((await visit(after, await both.url(link))).response.status).toBe(200);
  });

  it("shows what describe returns as text, and the page that render returns as it is", async () => {
    const { client, link } = await createStage();
    const described = createSignalLinks({
      client,
      secrets: [secret],
      basePath: "/answer",
      describe: ({ signal, payload }) => `<b>${signal}</b> & "${payload.by}"`,
    });
    const { text } = await visit(described, await described.url(link));
    expect(text).toContain("&lt;b&gt;yes&lt;/b&gt; &amp; &quot;Ada&quot;");
    const views: SignalLinkView[] = [];
    const rendered = createSignalLinks({
      client,
      secrets: [secret],
      basePath: "/answer",
      describe: () => "what",
      render: (view) => {
        views.push(view);
        return `<p>${view.state}</p>`;
      },
    });
    expect((await visit(rendered, await rendered.url(link))).text).toBe("<p>ask</p>");
    expect((await visit(rendered, "/answer/x")).text).toBe("<p>not-valid</p>");
    expect(views).toEqual([
      { state: "ask", description: "what" },
      { state: "not-valid", description: undefined },
    ]);
  });
});

describe("createSignalLinks", () => {
  it("refuses secrets that can be guessed or are missing, and shows none of them", async () => {
    const { client } = await createStage();
    const create = (secrets: readonly (string | undefined)[]) => () =>
      createSignalLinks({ client, secrets, basePath: "/answer" });
    expect(create([])).toThrow("secrets must be a list of 1 to 10 strings; got 0");
    expect(create([undefined])).toThrow("secrets[0] must be a string of at least 22 random characters; got undefined");
    expect(create([secret, "hunter2"])).toThrow("secrets[1] must be a string of at least 22 random characters; got 7");
    expect(create([secret, "hunter2"])).not.toThrow(/hunter2/);
  });

  it("refuses a base path that is none, and a link that does not fit into a mail", async () => {
    const { client, links, link } = await createStage();
    const at = (basePath: string) => () => createSignalLinks({ client, secrets: [secret], basePath });
    for (const path of ["answer", "/", "https://app.example.com/answer", "/a b", "/answer?x"])
      expect(at(path), path).toThrow("basePath must be a path");
    await expect(links.url({ ...link, payload: { by: "a".repeat(1_500) } })).rejects.toThrow(
      "a link must have at most 2000 characters",
    );
    await expect(links.url({ ...link, expiresInMs: 0 })).rejects.toThrow("expiresInMs must be");
  });
});
