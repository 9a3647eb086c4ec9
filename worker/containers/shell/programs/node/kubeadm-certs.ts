// `kubeadm certs`: the certificates in `/etc/kubernetes/pki` and in the kubeconfigs of the control plane.
import { decodeUtf8Leniently } from "../../../../../shared/base/utf8.ts";
import { base64OfText, tryBytesOfBase64 } from "../../../../../shared/base/base64.ts";
import { readCertificate } from "../../../../../shared/x509/certificate.ts";
import { pemBlocks } from "../../../../../shared/x509/pem.ts";
import type { Task } from "../../../../../shared/shell/task.ts";
import { edit, type Process } from "../../process.ts";
import type { ProgramCall } from "../../program.ts";
import { inspect } from "../../system-call.ts";
import { errorText, parseFlags } from "./kubeadm-flags.ts";
import { nodeName } from "./on-node.ts";
import { shortDuration, tabbed } from "./table.ts";

const folder = "/etc/kubernetes/pki";

interface Managed {
  /** The name in kubeadm's table. */
  readonly name: string;
  readonly authority: string;
  /** The name of the certificate below the folder; undefined for a kubeconfig. */
  readonly file?: string;
  readonly description: string;
}

/** The certificates in the order of kubeadm's table. */
const managed: readonly Managed[] = [
  {
    name: "admin.conf",
    authority: "ca",
    description: "certificate embedded in the kubeconfig file for the admin to use and for kubeadm itself",
  },
  { name: "apiserver", authority: "ca", file: "apiserver", description: "certificate for serving the Kubernetes API" },
  {
    name: "apiserver-etcd-client",
    authority: "etcd-ca",
    file: "apiserver-etcd-client",
    description: "certificate the apiserver uses to access etcd",
  },
  {
    name: "apiserver-kubelet-client",
    authority: "ca",
    file: "apiserver-kubelet-client",
    description: "certificate for the API server to connect to kubelet",
  },
  {
    name: "controller-manager.conf",
    authority: "ca",
    description: "certificate embedded in the kubeconfig file for the controller manager to use",
  },
  {
    name: "etcd-healthcheck-client",
    authority: "etcd-ca",
    file: "etcd/healthcheck-client",
    description: "certificate for liveness probes to healthcheck etcd",
  },
  {
    name: "etcd-peer",
    authority: "etcd-ca",
    file: "etcd/peer",
    description: "certificate for etcd nodes to communicate with each other",
  },
  { name: "etcd-server", authority: "etcd-ca", file: "etcd/server", description: "certificate for serving etcd" },
  {
    name: "front-proxy-client",
    authority: "front-proxy-ca",
    file: "front-proxy-client",
    description: "certificate for the front proxy client",
  },
  {
    name: "scheduler.conf",
    authority: "ca",
    description: "certificate embedded in the kubeconfig file for the scheduler manager to use",
  },
  {
    name: "super-admin.conf",
    authority: "ca",
    description: "certificate embedded in the kubeconfig file for the super-admin",
  },
];

const authorities = [
  { name: "ca", file: "ca" },
  { name: "etcd-ca", file: "etcd/ca" },
  { name: "front-proxy-ca", file: "front-proxy-ca" },
];

const reading = (command: string) =>
  `[${command}] Reading configuration from the "kubeadm-config" ConfigMap in namespace "kube-system"...\n[${command}] Use 'kubeadm init phase upload-config kubeadm --config your-config-file' to re-upload it.\n\n`;

export function certs(call: ProgramCall): number | Task<number> {
  const [verb = "", ...args] = call.args;
  if (verb === "check-expiration") return checkExpiration(call, args);
  if (verb === "renew") return renew(call, args);
  if (verb === "certificate-key") {
    return certificateKey(call);
  }
  call.err(
    errorText(
      verb === "" ? 'missing subcommand; "certs" is not meant to be run on its own' : `invalid subcommand: "${verb}"`,
    ),
  );
  return 1;
}

function* certificateKey({ process, out }: ProgramCall): Task<number> {
  process.version++;
  const seed = `certificate-key/${process.clockMs}/${process.seed++}`;
  out(`${(yield* inspect(process, ({ pki }) => pki?.digits(seed))) ?? "0".repeat(64)}\n`);
  return 0;
}

function expiryOf(process: Process, { name, file }: Pick<Managed, "name" | "file">): number | undefined {
  const text =
    file === undefined
      ? embedded(process.files.get(`/etc/kubernetes/${name}`)?.text)
      : process.files.get(`${folder}/${file}.crt`)?.text;
  const [block] = pemBlocks(text ?? "");
  return block && readCertificate(block.bytes)?.notAfterMs;
}

/** Returns the client certificate in a kubeconfig. */
function embedded(kubeconfig: string | undefined): string | undefined {
  const base64 = /client-certificate-data: *(\S+)/.exec(kubeconfig ?? "")?.[1];
  const bytes = base64 === undefined ? undefined : tryBytesOfBase64(base64);
  return bytes && decodeUtf8Leniently(bytes);
}

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

function dateText(ms: number): string {
  const iso = new Date(ms).toISOString();
  return `${months[Number(iso.slice(5, 7)) - 1] ?? ""} ${iso.slice(8, 10)}, ${iso.slice(0, 4)} ${iso.slice(11, 16)} UTC`;
}

function checkExpiration(call: ProgramCall, args: readonly string[]): number {
  const { process, out, err } = call;
  const { unknown } = parseFlags(args, ["cert-dir", "config", "kubeconfig", "o", "output"], []);
  if (unknown !== undefined) {
    err(errorText(unknown));
    return 1;
  }
  if (!process.files.exists(`${folder}/apiserver.crt`) && !process.files.exists("/etc/kubernetes/admin.conf")) {
    const rows = managed.map(({ name }) => [`!MISSING! ${name}`, "", "", "", ""]);
    out(tabbed([["CERTIFICATE", "EXPIRES", "RESIDUAL TIME", "CERTIFICATE AUTHORITY", "EXTERNALLY MANAGED"], ...rows]));
    return 0;
  }
  out(reading("check-expiration"));
  const row = (expiryMs: number | undefined, name: string, authority: readonly string[]) =>
    expiryMs === undefined
      ? [`!MISSING! ${name}`, "", "", ...authority.map(() => ""), ""]
      : [name, dateText(expiryMs), shortDuration(expiryMs - process.clockMs), ...authority, "no".padEnd(8)];
  out(
    tabbed([
      ["CERTIFICATE", "EXPIRES", "RESIDUAL TIME", "CERTIFICATE AUTHORITY", "EXTERNALLY MANAGED"],
      ...managed.map((entry) => row(expiryOf(process, entry), entry.name, [entry.authority])),
    ]),
  );
  out("\n");
  out(
    tabbed([
      ["CERTIFICATE AUTHORITY", "EXPIRES", "RESIDUAL TIME", "EXTERNALLY MANAGED"],
      ...authorities.map((entry) => row(expiryOf(process, entry), entry.name, [])),
    ]),
  );
  return 0;
}

function* renew(call: ProgramCall, args: readonly string[]): Task<number> {
  const { process, out, err } = call;
  const { operands, unknown } = parseFlags(args, ["cert-dir", "config", "kubeconfig"], []);
  const [name = ""] = operands;
  const selected = name === "all" ? managed : managed.filter((entry) => entry.name === name);
  if (unknown !== undefined || selected.length === 0) {
    err(
      errorText(
        unknown ??
          (name === ""
            ? 'missing subcommand; "renew" is not meant to be run on its own'
            : `invalid subcommand: "${name}"`),
      ),
    );
    return 1;
  }
  out(reading("renew"));
  const node = nodeName(process);
  for (const { name: certificateName, file, description } of selected) {
    const pem = yield* inspect(process, ({ pki }) => pki?.renew(file ?? certificateName, node, process.clockMs));
    if (pem === undefined) {
      err(errorText("the cluster has no certificate authority"));
      return 1;
    }
    if (file !== undefined) edit(process, { path: `${folder}/${file}.crt`, text: pem });
    else {
      const path = `/etc/kubernetes/${certificateName}`;
      const text = (process.files.get(path)?.text ?? "").replace(
        /(client-certificate-data: *)\S+/,
        (_, key: string) => key + base64OfText(pem),
      );
      edit(process, { path, text });
    }
    out(`${description} renewed\n`);
  }
  if (name === "all")
    out(
      "\nDone renewing certificates. You must restart the kube-apiserver, kube-controller-manager, kube-scheduler and etcd, so that they can use the new certificates.\n",
    );
  return 0;
}
