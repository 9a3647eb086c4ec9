// Runs a real control plane on this machine: etcd and kube-apiserver with kubeadm's flags, in the state of its first start.
import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RawAnswer } from "../../test/parity/normalise.ts";
import type { Send, Sent } from "../../test/parity/play.ts";

export interface ControlPlane {
  readonly send: Send;
  /** The folder of its keys and data, which is removed when it is stopped. */
  readonly folder: string;
  stop(): Promise<void>;
}

/** The identities that the tests' server knows. */
const tokens = ["admin-token,kubernetes-admin,1,system:masters", "stranger-token,jane,2"];
const startMs = 300_000;
const pollMs = 200;
/** The time limit of an answer. A watch does not end by itself, so no case uses one. */
const answerMs = 30_000;

/** Starts the control plane. `folder` holds the programs. Uses `port` and the two after it, on the loopback address only. */
export async function startControlPlane(folder: string, port: number): Promise<ControlPlane> {
  const data = mkdtempSync(join(tmpdir(), "parity-"));
  const log = openSync(join(data, "log"), "w");
  const children: ChildProcess[] = [];
  const start = (program: string, flags: Readonly<Record<string, string>>) => {
    const words = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    children.push(spawn(join(folder, program), words, { stdio: ["ignore", log, log] }));
  };
  const abandon = () => {
    for (const child of children) child.kill("SIGKILL");
    process.exit(1);
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, abandon);
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const end = async () => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, abandon);
    agent.destroy();
    for (const child of children.toReversed()) {
      if (child.exitCode === null && child.kill("SIGKILL")) await once(child, "exit");
    }
    closeSync(log);
  };
  start("etcd", etcdFlags(data, port + 1));
  start("kube-apiserver", serverFlags(data, port));
  const send: Send = (sent) => answerOf(agent, port, sent);
  try {
    await ready(send, () => children.some((child) => child.exitCode !== null));
  } catch (error) {
    await end();
    throw new Error(`the control plane did not start; see ${join(data, "log")}`, { cause: error });
  }
  return { send, folder: data, stop: () => end().then(() => rmSync(data, { recursive: true, force: true })) };
}

function etcdFlags(data: string, port: number): Record<string, string> {
  const client = `http://127.0.0.1:${port}`;
  const peer = `http://127.0.0.1:${port + 1}`;
  return {
    "data-dir": join(data, "etcd"),
    "listen-client-urls": client,
    "advertise-client-urls": client,
    "listen-peer-urls": peer,
    "initial-advertise-peer-urls": peer,
    "initial-cluster": `default=${peer}`,
    "unsafe-no-fsync": "true",
  };
}

function serverFlags(data: string, port: number): Record<string, string> {
  const file = (name: string, text: string) => {
    writeFileSync(join(data, name), text, { mode: 0o600 });
    return join(data, name);
  };
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = file("accounts.key", privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  return {
    "etcd-servers": `http://127.0.0.1:${port + 1}`,
    "bind-address": "127.0.0.1",
    "secure-port": String(port),
    "cert-dir": join(data, "certificates"),
    "token-auth-file": file("tokens.csv", `${tokens.join("\n")}\n`),
    "authorization-mode": "Node,RBAC",
    "service-cluster-ip-range": "10.96.0.0/12",
    "service-account-issuer": "https://kubernetes.default.svc.cluster.local",
    "service-account-key-file": key,
    "service-account-signing-key-file": key,
    "allow-privileged": "true",
    "endpoint-reconciler-type": "none",
  };
}

/** Repeats requests that are refused or not answered, until the server reports that it is ready. */
async function ready(send: Send, hasEnded: () => boolean): Promise<void> {
  const readyz: Sent = { name: "ready", method: "GET", path: "/readyz", headers: {}, token: "admin-token" };
  const endMs = Date.now() + startMs;
  for (;;) {
    if (hasEnded() || Date.now() > endMs) throw new Error("it has ended, or takes too long");
    const answer = await send(readyz).catch(() => undefined);
    if (answer?.code === 200) return;
    await sleep(pollMs);
  }
}

function answerOf(agent: Agent, port: number, { name, method, path, headers, token, body }: Sent): Promise<RawAnswer> {
  const groups = headers["impersonate-group"]?.split(", ");
  return new Promise((done, reject) => {
    const failed = (cause: Error) => reject(new Error(`${name}: no answer`, { cause }));
    const sending = request(
      {
        agent,
        signal: AbortSignal.timeout(answerMs),
        host: "127.0.0.1",
        port,
        method,
        path,
        headers: {
          ...headers,
          ...(groups ? { "impersonate-group": groups } : {}),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", failed);
        response.on("end", () => {
          const headerEntries = Object.entries(response.headersDistinct).map(([name, values = []]) => [
            name,
            values.join(", "),
          ]);
          done({
            code: response.statusCode ?? 0,
            headers: Object.fromEntries(headerEntries) as Record<string, string>,
            text: Buffer.concat(chunks).toString(),
          });
        });
      },
    );
    sending.on("error", failed);
    sending.end(body);
  });
}
