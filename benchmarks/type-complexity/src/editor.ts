import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Compiler } from "./compilers.ts";
import type { Project } from "./projects.ts";
import { createFrames } from "./frames.ts";

/** A language server with one file open in it. */
export interface Editor {
  /** Gives the file this text. */
  open(text: string): void;
  /** The names offered at an offset into the text. */
  complete(position: number): Promise<readonly string[]>;
  /** What is shown for the name at an offset into the text. */
  hover(position: number): Promise<string>;
  close(): Promise<void>;
}

/** TypeScript 7 speaks the language server protocol; before, there was tsserver with its own. */
export async function openEditor(compiler: Compiler, project: Project): Promise<Editor> {
  return compiler.version.startsWith("7.")
    ? await openLanguageServer(compiler, project)
    : openTsServer(compiler, project);
}

function openTsServer({ folder }: Compiler, { file }: Project): Editor {
  const server = spawn(process.execPath, [join(folder, "lib/tsserver.js"), "--disableAutomaticTypingAcquisition"], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const waiting = new Map<unknown, (body: unknown) => void>();
  createFrames(server.stdout, (message) => {
    if (message["type"] === "response") waiting.get(message["request_seq"])?.(message["body"]);
  });
  let sequence = 0;
  let text = "";
  const send = (command: string, args: object): number => {
    sequence += 1;
    server.stdin.write(`${JSON.stringify({ seq: sequence, type: "request", command, arguments: args })}\n`);
    return sequence;
  };
  const request = async (command: string, position: number): Promise<unknown> => {
    const answered = Promise.withResolvers<unknown>();
    const { line, column } = lineAndColumn(text, position);
    waiting.set(send(command, { file, line: line + 1, offset: column + 1, triggerKind: 1 }), answered.resolve);
    return await answered.promise;
  };
  return {
    open(next) {
      text = next;
      send("open", { file, fileContent: next });
    },
    async complete(position) {
      const body = (await request("completionInfo", position)) as
        | { readonly entries?: readonly { readonly name: string }[] }
        | undefined;
      return (body?.entries ?? []).map((entry) => entry.name);
    },
    async hover(position) {
      const body = (await request("quickinfo", position)) as { readonly displayString?: string } | undefined;
      return body?.displayString ?? "";
    },
    async close() {
      server.kill();
      await once(server, "exit");
    },
  };
}

/** The messages of the language server protocol. */
function connectLanguageServer({ tsc }: Compiler, folder: string) {
  const server = spawn(process.execPath, [tsc, "--lsp", "--stdio"], { cwd: folder, stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map<unknown, (result: unknown) => void>();
  const send = (message: object): void => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  createFrames(server.stdout, (message) => {
    if ("method" in message) {
      // What the server asks of an editor: settings and registrations, all left at nothing.
      if ("id" in message)
        send({
          id: message["id"],
          result: message["method"] === "workspace/configuration" ? [null, null, null, null] : null,
        });
    } else waiting.get(message["id"])?.(message["result"]);
  });
  let sequence = 0;
  const request = async (method: string, params: object): Promise<unknown> => {
    sequence += 1;
    const answered = Promise.withResolvers<unknown>();
    waiting.set(sequence, answered.resolve);
    send({ id: sequence, method, params });
    return await answered.promise;
  };
  return { send, request, ended: () => once(server, "exit") };
}

async function openLanguageServer(compiler: Compiler, { folder, file }: Project): Promise<Editor> {
  const { send, request, ended } = connectLanguageServer(compiler, folder);
  const uri = pathToFileURL(file).href;
  await request("initialize", { processId: process.pid, rootUri: pathToFileURL(folder).href, capabilities: {} });
  send({ method: "initialized", params: {} });
  let version = 0;
  let text = "";
  return {
    open(next) {
      text = next;
      version += 1;
      if (version === 1)
        send({
          method: "textDocument/didOpen",
          params: { textDocument: { uri, languageId: "typescript", version, text } },
        });
      else
        send({
          method: "textDocument/didChange",
          params: { textDocument: { uri, version }, contentChanges: [{ text }] },
        });
    },
    async complete(position) {
      const { line, column: character } = lineAndColumn(text, position);
      const params = { textDocument: { uri }, position: { line, character } };
      const result = (await request("textDocument/completion", params)) as CompletionList | undefined;
      return (result?.items ?? []).map((item) => item.label);
    },
    async hover(position) {
      const { line, column: character } = lineAndColumn(text, position);
      const result = await request("textDocument/hover", { textDocument: { uri }, position: { line, character } });
      return JSON.stringify(result ?? "");
    },
    async close() {
      await request("shutdown", {});
      send({ method: "exit" });
      await ended();
    },
  };
}

interface CompletionList {
  readonly items?: readonly { readonly label: string }[];
}

function lineAndColumn(text: string, position: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, position).split("\n");
  return { line: before.length - 1, column: before.at(-1)?.length ?? 0 };
}
