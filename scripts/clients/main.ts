// `node scripts/clients/main.ts [python] [java] [fabric8] [rust]`: clients in other languages do their work with a fresh sandbox of a service
// that runs. Needs the languages' own tools (pip, mvn, cargo); no part of `npm test`. docs/testing.md has the table.
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
};

/** A running service, as `npm start` starts it. */
const service = process.env.SANDBAR_SERVER ?? "http://localhost:8787";
const data = process.env.SANDBAR_DATA ?? join(root, ".sandbar");
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
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  const { status } = spawnSync(program, words, { cwd: folder, stdio: "inherit", env });
  if (status !== 0) process.exitCode = 1;
}

/** Creates a sandbox. Returns its kubeconfig. */
async function newSandbox(): Promise<string> {
  const key = readFileSync(join(data, "api-key"), "utf8").trim();
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", accept: "application/yaml" };
  const body = JSON.stringify({ nodes: 2, ttlSeconds: 3600 });
  const response = await fetch(`${service}/v1/sandboxes`, { method: "POST", headers, body });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`no sandbox: ${response.status} ${text}`);
  return text;
}
