import { resolve } from "node:path";
import { UsageError } from "../usage-error.ts";

/** A store as its URL names it. */
export type StoreUrl =
  | { readonly kind: "sqlite"; readonly file: string; readonly tablePrefix: string | undefined }
  | { readonly kind: "postgres"; readonly url: string; readonly schema: string | undefined }
  | { readonly kind: "journal"; readonly journal: string };

const forms =
  "postgres://user@host/database?schema=chainwright, sqlite:./jobs.db?tablePrefix=chainwright_ or journal:./jobs";

/** Reads the URL of a store. */
export function readStoreUrl(text: string, folder: string): StoreUrl {
  if (/^postgres(ql)?:\/\//.test(text)) return readPostgres(text);
  if (text.startsWith("sqlite:")) return readSqlite(text.slice("sqlite:".length), folder);
  if (text.startsWith("journal:")) return readJournal(text.slice("journal:".length), folder);
  // Not the text itself: it may contain a password.
  throw new UsageError(`the store must be ${forms}`);
}

function readPostgres(text: string): StoreUrl {
  if (!URL.canParse(text)) throw new UsageError(`the URL of the store cannot be read; it must be ${forms}`);
  const url = new URL(text);
  const schema = url.searchParams.get("schema") ?? undefined;
  url.searchParams.delete("schema");
  return { kind: "postgres", url: url.href, schema };
}

function readSqlite(text: string, folder: string): StoreUrl {
  const [path = "", query] = text.split("?", 2);
  const asked = new URLSearchParams(query);
  const unknown = [...asked.keys()].find((name) => name !== "tablePrefix");
  if (unknown !== undefined) throw new UsageError(`the URL of an SQLite file may have tablePrefix; got ${unknown}`);
  const file = pathOf(path);
  if (file === "") throw new UsageError(`the URL of the store has no file; it must be ${forms}`);
  return { kind: "sqlite", file: resolve(folder, file), tablePrefix: asked.get("tablePrefix") ?? undefined };
}

function readJournal(text: string, folder: string): StoreUrl {
  if (text.includes("?")) throw new UsageError("the URL of a journal is journal: and its folder, and nothing else");
  const journal = pathOf(text);
  if (journal === "") throw new UsageError(`the URL of the store has no folder; it must be ${forms}`);
  return { kind: "journal", journal: resolve(folder, journal) };
}

function pathOf(path: string): string {
  return decoded(path.replace(/^\/\/(?=\/)/, ""));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The URL without its password, for people. */
export function describeStore(store: StoreUrl): string {
  if (store.kind === "sqlite") return store.file;
  if (store.kind === "journal") return `journal in ${store.journal}`;
  const { username, host, pathname } = new URL(store.url);
  return `${username === "" ? "" : `${username}@`}${host}${pathname}, schema ${store.schema ?? "chainwright"}`;
}

/** The passwords that no output may contain. */
export function secretsOf(texts: readonly (string | undefined)[]): readonly string[] {
  return texts.flatMap((text) => {
    if (text === undefined || !URL.canParse(text)) return [];
    const { password, searchParams } = new URL(text);
    const all = [password, decoded(password), searchParams.get("password") ?? ""];
    return [...new Set(all.filter((each) => each !== ""))];
  });
}
