// The certificates in `/etc/kubernetes/pki` of nodes: issued when they are first read, and kept with the cluster. Their private keys are
// thrown away, so they open nothing.
import { createHmac, randomBytes } from "node:crypto";
import { dnsServiceAddress } from "../../../shared/k8s/settings/cluster-network.ts";
import type { ClusterNetwork } from "../../../shared/k8s/settings/cluster-network.ts";
import { noNames } from "../../../shared/x509/alternative-names.ts";
import { certificatePem } from "../../../shared/x509/certificate.ts";
import { commonName, organization } from "../../../shared/x509/name.ts";
import type { Authority } from "../../controllers/certificates/authority.ts";
import type { NodePki } from "../../containers/node/node-pki.ts";
import type { Sql } from "../../store/sql.ts";
import { readMeta, writeMeta } from "../../store/tables.ts";
import { authorityLifetimeMs, authorityOf, type KeptAuthority, makeAuthority, platformKeys } from "./authority.ts";

export interface NodePkiOptions {
  readonly sql: Sql;
  readonly network: ClusterNetwork;
  /** The cluster's own authority. */
  readonly authority: Authority;
  addressOf(node: string): string;
}

const metaKey = "node-pki";
const yearMs = 365 * 86_400_000;
/** The certificates of a cluster that are kept at most; further ones are issued at every read. */
const mostKept = 200;

interface Subject {
  readonly name: string;
  readonly organizations?: readonly string[];
  readonly by?: "etcd-ca" | "front-proxy-ca";
  readonly isServer?: boolean;
  readonly isClient?: boolean;
  readonly dns?: readonly string[];
}

const authorities: Readonly<Record<string, string>> = { "etcd/ca": "etcd-ca", "front-proxy-ca": "front-proxy-ca" };
const serverAuth = "1.3.6.1.5.5.7.3.1";
const clientAuth = "1.3.6.1.5.5.7.3.2";
/** `digitalSignature` and `keyEncipherment`. */
const usualFlags = 1 + 4;

export function nodePki(options: NodePkiOptions): NodePki {
  let certificates: Record<string, string> | undefined;
  // Only this function writes it.
  const read = () => (certificates ??= JSON.parse(readMeta(options.sql, metaKey) ?? "{}") as Record<string, string>);
  const keep = (key: string, text: string) => {
    const all = read();
    if (!Object.hasOwn(all, key) && Object.keys(all).length >= mostKept) return;
    all[key] = text;
    writeMeta(options.sql, metaKey, JSON.stringify(all));
  };
  const once = (key: string, make: () => string) => {
    const stored = read()[key];
    if (stored !== undefined) return stored;
    const text = make();
    keep(key, text);
    return text;
  };
  /** The time at which the cluster was made. */
  const madeMs = () => options.authority.notAfterMs - authorityLifetimeMs;
  const otherAuthority = (name: string) =>
    authorityOf(
      // `makeAuthority` wrote it.
      () => JSON.parse(once(`authority/${name}`, () => JSON.stringify(makeAuthority(madeMs(), name)))) as KeptAuthority,
      name,
    );
  const issue = (name: string, node: string, nowMs: number) => {
    const subject = subjectOf(name, node);
    const issuer = subject.by === undefined ? options.authority : otherAuthority(subject.by);
    return issued(subject, issuer, { node, nowMs }, options);
  };
  return {
    certificate: (name, node) => {
      if (name === "ca") return options.authority.certificate;
      const authority = Object.hasOwn(authorities, name) ? authorities[name] : undefined;
      if (authority !== undefined) return otherAuthority(authority).certificate;
      return once(`${node}/${name}`, () => issue(name, node, madeMs()));
    },
    digits: (seed) =>
      createHmac(
        "sha256",
        once("secret", () => randomBytes(32).toString("hex")),
      )
        .update(seed)
        .digest("hex"),
    renew: issue,
  };
}

function subjectOf(name: string, node: string): Subject {
  const subjects: Readonly<Record<string, Subject>> = {
    apiserver: {
      name: "kube-apiserver",
      isServer: true,
      dns: [node, "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"],
    },
    "apiserver-etcd-client": { name: "kube-apiserver-etcd-client", by: "etcd-ca", isClient: true },
    "apiserver-kubelet-client": {
      name: "kube-apiserver-kubelet-client",
      organizations: ["kubeadm:cluster-admins"],
      isClient: true,
    },
    "front-proxy-client": { name: "front-proxy-client", by: "front-proxy-ca", isClient: true },
    "etcd/server": { name: node, by: "etcd-ca", isServer: true, isClient: true, dns: [node, "localhost"] },
    "etcd/peer": { name: node, by: "etcd-ca", isServer: true, isClient: true, dns: [node, "localhost"] },
    "etcd/healthcheck-client": { name: "kube-etcd-healthcheck-client", by: "etcd-ca", isClient: true },
    "admin.conf": { name: "kubernetes-admin", organizations: ["kubeadm:cluster-admins"], isClient: true },
    "super-admin.conf": { name: "kubernetes-super-admin", organizations: ["system:masters"], isClient: true },
    "controller-manager.conf": { name: "system:kube-controller-manager", isClient: true },
    "scheduler.conf": { name: "system:kube-scheduler", isClient: true },
    "kubelet-client": { name: `system:node:${node}`, organizations: ["system:nodes"], isClient: true },
    kubelet: { name: `${node}@1`, isServer: true, dns: [node] },
  };
  return (Object.hasOwn(subjects, name) ? subjects[name] : undefined) ?? { name, isClient: true };
}

function issued(
  subject: Subject,
  issuer: Authority,
  { node, nowMs }: { readonly node: string; readonly nowMs: number },
  options: NodePkiOptions,
): string {
  const { isServer = false, isClient = false, organizations = [], dns = [] } = subject;
  const address = options.addressOf(node);
  const isApiServer = subject.name === "kube-apiserver";
  const addresses = [
    ...(isApiServer ? [firstAddress(options.network)] : []),
    ...(address === "" ? [] : [address]),
    ...(subject.by === "etcd-ca" && isServer ? ["127.0.0.1", "::1"] : []),
  ];
  return certificatePem(
    {
      serial: randomBytes(8),
      subject: new Map([
        ...(organizations.length > 0 ? [[organization, organizations] as const] : []),
        [commonName, [subject.name]] as const,
      ]),
      notBeforeMs: nowMs,
      notAfterMs: nowMs + yearMs,
      publicKey: platformKeys.make().publicKey,
      usages: { flags: usualFlags, extended: [...(isServer ? [serverAuth] : []), ...(isClient ? [clientAuth] : [])] },
      names: isServer ? { ...noNames, dns, addresses } : noNames,
    },
    issuer,
  );
}

/** Returns the address of the Service `kubernetes`. */
function firstAddress(network: ClusterNetwork): string {
  return [...dnsServiceAddress(network).split(".").slice(0, -1), "1"].join(".");
}
