// `node scripts/clients/main.ts [client ...]`: clients in other languages, and clients that were generated from the OpenAPI document, do their
// work with a fresh sandbox of a running service. Needs the languages' own tools (pip, mvn, cargo, npm); not part of `npm test`.
// docs/testing.md has the table.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../build.ts";

interface ClientOfOthers {
  readonly name: string;
  /** Commands that prepare the client in its folder. */
  readonly prepare: readonly (readonly string[])[];
  readonly run: readonly string[];
}

/** A running service, as `npm start` starts it. */
const service = process.env.SANDBAR_SERVER ?? "http://localhost:8787";
const data = process.env.SANDBAR_DATA ?? join(root, ".sandbar");
/** The document from which clients are generated. */
const document = `${service}/v1/openapi.json`;
const compilerOptions =
  "--noEmit --strict --target es2024 --module nodenext --allowImportingTsExtensions --skipLibCheck".split(" ");
const maven = ["mvn", "-q", "-B"];
const clients: Readonly<Record<string, ClientOfOthers>> = {
  python: {
    name: "kubernetes 37.0.2 (Python)",
    prepare: [
      ["python3", "-m", "venv", "venv"],
      ["venv/bin/pip", "-q", "install", "kubernetes==37.0.2"],
    ],
    run: ["venv/bin/python", "try.py"],
  },
  java: {
    name: "client-java 27.0.0 (Java)",
    prepare: [[...maven, "compile"]],
    run: [...maven, "exec:java"],
  },
  fabric8: {
    name: "fabric8 kubernetes-client 8.0.0 (Java)",
    prepare: [[...maven, "compile"]],
    run: [...maven, "exec:java"],
  },
  rust: {
    name: "kube 5 (Rust)",
    prepare: [["cargo", "build", "--quiet"]],
    run: ["target/debug/try-sandbar"],
  },
  "generated-python": {
    name: "openapi-python-client 0.29.1 (Python 3.11)",
    prepare: [
      ["python3", "-m", "venv", "venv"],
      ["venv/bin/pip", "-q", "install", "openapi-python-client==0.29.1"],
      ["venv/bin/openapi-python-client", "generate", "--url", document, "--output-path", "client", "--overwrite"],
      ["venv/bin/pip", "-q", "install", "./client"],
    ],
    run: ["venv/bin/python", "try.py"],
  },
  "generated-typescript": {
    name: "openapi-typescript 7.13.0, openapi-fetch 0.17.0 (TypeScript)",
    prepare: [
      ["npm", "install", "--no-audit", "--no-fund", "--silent"],
      ["npx", "openapi-typescript", document, "-o", "schema.d.ts"],
      ["npx", "tsc", ...compilerOptions, "try.mts"],
    ],
    run: [process.execPath, "try.mts"],
  },
};

const requestedNames = process.argv.slice(2);
const unknown = requestedNames.filter((name) => !(name in clients));
if (unknown.length > 0) {
  console.error(`There is no client ${unknown.join(", ")}; there are ${Object.keys(clients).join(", ")}.`);
  process.exit(1);
}

for (const [folderName, client] of Object.entries(clients)) {
  if (requestedNames.length > 0 && !requestedNames.includes(folderName)) continue;
  const folder = join(root, ".sandbar/clients", folderName);
  mkdirSync(folder, { recursive: true });
  cpSync(join(import.meta.dirname, folderName), folder, { recursive: true });
  for (const [program = "", ...words] of client.prepare) {
    execFileSync(program, words, { cwd: folder, stdio: "inherit" });
  }
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, await newSandbox(), { mode: 0o600 });
  console.log(`\n${client.name}`);
  const [program = "", ...words] = client.run;
  const env = { ...process.env, KUBECONFIG: kubeconfig, SANDBAR_URL: service, SANDBAR_API_KEY: apiKey() };
  const { status } = spawnSync(program, words, { cwd: folder, stdio: "inherit", env });
  if (status !== 0) process.exitCode = 1;
}

function apiKey(): string {
  return readFileSync(join(data, "api-key"), "utf8").trim();
}

/** Creates a sandbox. Returns its kubeconfig. */
async function newSandbox(): Promise<string> {
  const headers = {
    authorization: `Bearer ${apiKey()}`,
    "content-type": "application/json",
    accept: "application/yaml",
  };
  const body = JSON.stringify({ nodes: 2, ttlSeconds: 3600 });
  const response = await fetch(`${service}/v1/sandboxes`, { method: "POST", headers, body });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`no sandbox: ${response.status} ${text}`);
  return text;
}
