// `kubeadm token`: bootstrap tokens as Secrets of kube-system.
import { createHash } from "node:crypto";
import { bytesOfBase64 } from "../../../../../shared/base/base64.ts";
import { decodeUtf8Leniently } from "../../../../../shared/base/utf8.ts";
import { stableHex } from "../../../../../shared/base/stable.ts";
import { parseTime } from "../../../../../shared/k8s/time.ts";
import type { Task } from "../../../../../shared/shell/task.ts";
import { readCertificate } from "../../../../../shared/x509/certificate.ts";
import { pemBlocks } from "../../../../../shared/x509/pem.ts";
import { secrets } from "../../../../kinds/core/secret.ts";
import { apiServerPort } from "../../../../machine/control-plane.ts";
import { readRequest, requestFolder, type TokenRequest, type NodeRequest } from "../../../node/requests.ts";
import { edit, type Process } from "../../process.ts";
import type { ProgramCall } from "../../program.ts";
import { inspect, sleep } from "../../system-call.ts";
import { errorText, durationMs, parseFlags } from "./kubeadm-flags.ts";
import { shortDuration, tabbed } from "./table.ts";

const namespace = "kube-system";
const idShape = /^[a-z0-9]{6}$/;
const tokenShape = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const defaultTtl = "24h0m0s";
const defaultGroup = "system:bootstrappers:kubeadm:default-node-token";
/** The time within which a request of this session is shown although the controller may not have done it yet. */
const pendingMs = 2_000;

export function token(call: ProgramCall): number | Task<number> {
  const [verb = "", ...args] = call.args;
  if (verb === "create") return create(call, args);
  if (verb === "list") return list(call, args);
  if (verb === "delete") return remove(call, args);
  if (verb === "generate") return generate(call);
  call.err(
    errorText(
      verb === "" ? 'missing subcommand; "token" is not meant to be run on its own' : `invalid subcommand: "${verb}"`,
    ),
  );
  return 1;
}

function* generate({ process, out }: ProgramCall): Task<number> {
  const { id, secret } = yield* newToken(process);
  out(`${id}.${secret}\n`);
  return 0;
}

function* newToken(process: Process): Task<{ readonly id: string; readonly secret: string }> {
  process.version++;
  const seed = `kubeadm/${process.host}/${process.clockMs}/${process.seed++}`;
  const digits = (yield* inspect(process, ({ pki }) => pki?.digits(seed))) ?? stableHex(seed, 64);
  const text = Array.from({ length: 22 }, (_, at) =>
    (Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16) % 36).toString(36),
  ).join("");
  return { id: text.slice(0, 6), secret: text.slice(6) };
}

/** Has the cluster do something after the command. */
export function* send(process: Process, request: NodeRequest): Task<void> {
  process.version++;
  edit(process, { path: `${requestFolder}/${process.clockMs}-${process.seed++}`, text: JSON.stringify(request) });
  yield* sleep(process, 50);
}

function* create(call: ProgramCall, args: readonly string[]): Task<number> {
  const { process, out } = call;
  const { operands, flags, unknown } = parseFlags(
    args,
    ["ttl", "description", "usages", "groups", "kubeconfig", "config", "certificate-key"],
    ["print-join-command", "dry-run"],
  );
  if (unknown !== undefined) return failed(call, unknown);
  const [, id, secret] = tokenShape.exec(operands[0] ?? "") ?? [];
  if (operands[0] !== undefined && id === undefined)
    return failed(
      call,
      `the bootstrap token "${operands[0]}" was not of the form "\\\\A([a-z0-9]{6})\\\\.([a-z0-9]{16})\\\\z"`,
    );
  const ttlMs = durationMs(flags.get("ttl") ?? defaultTtl);
  if (ttlMs === undefined)
    return failed(
      call,
      `invalid argument "${flags.get("ttl") ?? ""}" for "--ttl" flag: time: invalid duration "${flags.get("ttl") ?? ""}"`,
    );
  const cluster = yield* inspect(process, ({ controlPlane, pki }) => ({
    address: controlPlane?.address ?? "",
    isControlPlane: controlPlane?.name === process.world.node?.name,
    authority: pki?.certificate("ca", ""),
  }));
  if (!cluster?.isControlPlane)
    return failed(call, "failed to load admin kubeconfig: open /etc/kubernetes/admin.conf: no such file or directory");
  const chosen = id !== undefined && secret !== undefined ? { id, secret } : yield* newToken(process);
  const request: TokenRequest = {
    kind: "create-token",
    ...chosen,
    description: flags.get("description") ?? "",
    usages: (flags.get("usages") ?? "signing,authentication").split(","),
    groups: (flags.get("groups") ?? defaultGroup).split(","),
    ...(ttlMs === 0 ? {} : { expiresMs: process.clockMs + ttlMs }),
  };
  if (!flags.has("dry-run")) yield* send(process, request);
  const text = `${chosen.id}.${chosen.secret}`;
  const hash = authorityHash(cluster.authority ?? "");
  if (flags.has("print-join-command") && flags.get("print-join-command") !== "false")
    out(
      `kubeadm join ${cluster.address}:${apiServerPort} --token ${text} --discovery-token-ca-cert-hash sha256:${hash} \n`,
    );
  else out(`${text}\n`);
  return 0;
}

/** Returns the hash of an authority's public key, by which joining nodes recognize it. */
function authorityHash(pem: string): string {
  const [block] = pemBlocks(pem);
  const certificate = block && readCertificate(block.bytes);
  return createHash("sha256")
    .update(certificate?.publicKey ?? new Uint8Array())
    .digest("hex");
}

interface ListedToken {
  readonly id: string;
  readonly secret: string;
  readonly expiresMs: number | undefined;
  readonly usages: readonly string[];
  readonly description: string;
  readonly groups: readonly string[];
}

function* list(call: ProgramCall, args: readonly string[]): Task<number> {
  const { process, out } = call;
  const { unknown } = parseFlags(args, ["kubeconfig", "o", "output", "experimental-output"], ["dry-run"]);
  if (unknown !== undefined) return failed(call, unknown);
  const stored = (yield* inspect(process, ({ client }) => storedTokens(client.list(secrets, { namespace })))) ?? [];
  const pending = pendingTokens(process);
  const deleted = new Set(pending.flatMap((request) => (request.kind === "delete-token" ? [request.id] : [])));
  const tokens = new Map(stored.map((entry) => [entry.id, entry]));
  for (const request of pending)
    if (request.kind === "create-token" && !tokens.has(request.id))
      tokens.set(request.id, { ...request, expiresMs: request.expiresMs });
  const rows = [...tokens.values()]
    .filter(({ id }) => !deleted.has(id))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, secret, expiresMs, usages, description, groups }) => [
      `${id}.${secret}`,
      expiresMs === undefined ? "<forever>" : shortDuration(expiresMs - process.clockMs),
      expiresMs === undefined ? "<never>" : `${new Date(expiresMs).toISOString().slice(0, 19)}Z`,
      usages.join(",") || "<none>",
      description || "<none>",
      groups.join(",") || "<none>",
    ]);
  // Without tokens, kubeadm prints nothing.
  if (rows.length > 0) out(tabbed([["TOKEN", "TTL", "EXPIRES", "USAGES", "DESCRIPTION", "EXTRA GROUPS"], ...rows]));
  return 0;
}

function storedTokens(
  all: readonly { readonly type?: string; readonly data?: Readonly<Record<string, string>> | null }[],
): ListedToken[] {
  return all.flatMap(({ type, data }) => {
    if (type !== "bootstrap.kubernetes.io/token") return [];
    const text = (key: string) => {
      const value = data?.[key];
      return value === undefined ? "" : decodeUtf8Leniently(bytesOfBase64(value));
    };
    const usages = Object.keys(data ?? {})
      .filter((key) => key.startsWith("usage-bootstrap-") && text(key) === "true")
      .map((key) => key.slice("usage-bootstrap-".length))
      .sort();
    const expiration = text("expiration");
    return [
      {
        id: text("token-id"),
        secret: text("token-secret"),
        expiresMs: expiration === "" ? undefined : parseTime(expiration),
        usages,
        description: text("description"),
        groups: text("auth-extra-groups")
          .split(",")
          .filter((group) => group !== ""),
      },
    ];
  });
}

/** Returns the requests of this session that may not be done yet. */
function pendingTokens({ files, clockMs }: Process): NodeRequest[] {
  return files.names(requestFolder).flatMap((name) => {
    const entry = files.get(`${requestFolder}/${name}`);
    if (entry?.text === undefined || entry.changedMs < clockMs - pendingMs) return [];
    return readRequest(entry.text) ?? [];
  });
}

function* remove(call: ProgramCall, args: readonly string[]): Task<number> {
  const { process, out } = call;
  const { operands, unknown } = parseFlags(args, ["kubeconfig"], ["dry-run"]);
  if (unknown !== undefined) return failed(call, unknown);
  if (operands.length === 0)
    return failed(call, "missing argument; 'token delete' is missing token of form \"^[a-z0-9]{6}$\"");
  for (const operand of operands) {
    const id = idShape.test(operand) ? operand : tokenShape.exec(operand)?.[1];
    if (id === undefined)
      return failed(
        call,
        `given token "${operand}" didn't match pattern "\\\\A([a-z0-9]{6})\\\\z" or "\\\\A([a-z0-9]{6})\\\\.([a-z0-9]{16})\\\\z"`,
      );
    const name = `bootstrap-token-${id}`;
    const exists = yield* inspect(process, ({ client }) => client.get(secrets, namespace, name) !== undefined);
    if (!exists && !pendingTokens(process).some((request) => request.kind === "create-token" && request.id === id))
      return failed(call, `failed to delete bootstrap token "${id}": secrets "${name}" not found`);
    yield* send(process, { kind: "delete-token", id });
    out(`bootstrap token "${id}" deleted\n`);
  }
  return 0;
}

function failed({ err }: ProgramCall, message: string): number {
  err(errorText(message));
  return 1;
}
