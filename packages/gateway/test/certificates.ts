import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generate, type SubjectAltNameEntry } from "selfsigned";

/** A self-signed certificate. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
  /** A file with it, for a process that is to trust it. */
  readonly path: string;
  /** Deletes the file. */
  readonly remove: () => void;
}

const names = {
  here: [
    { type: 7, ip: "127.0.0.1" },
    { type: 2, value: "localhost" },
  ],
  elsewhere: [{ type: 2, value: "hooks.example.com" }],
} satisfies Record<string, SubjectAltNameEntry[]>;

/** Makes a certificate for a receiver on this machine, or for one on another host. */
export async function createCertificate(host: keyof typeof names): Promise<Certificate> {
  const { private: key, cert } = await generate([{ name: "commonName", value: "a receiver of the tests" }], {
    keyType: "ec",
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "subjectAltName", altNames: names[host] },
    ],
  });
  const folder = mkdtempSync(join(tmpdir(), "chainwright-certificate-"));
  const path = join(folder, "certificate.pem");
  writeFileSync(path, cert);
  return { key, cert, path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
