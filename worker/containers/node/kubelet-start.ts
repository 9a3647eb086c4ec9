// Whether the kubelet of a node starts with the node's present files, and why not (upstream: cmd/kubelet/app).
import { readYaml } from "../../../shared/schema/yaml/read.ts";
import { YamlError } from "../../../shared/schema/yaml/errors.ts";
import type { NodeFiles } from "./node-files.ts";
import { releaseOf } from "./packages.ts";

/** The settings that a running kubelet has read at its start. */
export interface LoadedKubelet {
  readonly staticPodPath: string;
  /** The host and port of the API server. */
  readonly server: string;
  /** The release of the program: `v1.36.0`. */
  readonly version: string | undefined;
  readonly allowsAnonymous?: boolean;
  /** Whether every authenticated or anonymous request is allowed. */
  readonly allowsAll?: boolean;
  /** The port without TLS and authentication; 0 if it is closed. */
  readonly readOnlyPort?: number;
}

export interface KubeletFailure {
  /** The text after `err=`; undefined if there is no program to execute. */
  readonly error: string | undefined;
  readonly program: string;
}

export type KubeletStart =
  | { readonly loaded: LoadedKubelet; readonly failure?: undefined }
  | { readonly failure: KubeletFailure };

export const kubeletProgram = "/usr/bin/kubelet";
export const unitFiles = [
  "/usr/lib/systemd/system/kubelet.service",
  "/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf",
  "/etc/systemd/system/kubelet.service",
  "/etc/systemd/system/kubelet.service.d/10-kubeadm.conf",
];
const runtimeSocket = "/run/containerd/containerd.sock";

/** The flags of kubelets that administrators set. */
const flagNames = new Set(
  `address anonymous-auth authentication-token-webhook authorization-mode bootstrap-kubeconfig cert-dir cgroup-driver cgroup-root
   client-ca-file cloud-provider cluster-dns cluster-domain config config-dir container-log-max-files container-log-max-size
   container-runtime-endpoint cpu-manager-policy eviction-hard eviction-soft fail-swap-on feature-gates healthz-bind-address healthz-port
   hostname-override image-credential-provider-bin-dir image-credential-provider-config image-gc-high-threshold image-gc-low-threshold
   kube-reserved kubeconfig log-json-info-buffer-size logging-format max-pods node-ip node-labels node-status-update-frequency
   pod-cidr pod-infra-container-image pod-manifest-path pod-max-pids port provider-id read-only-port register-node register-with-taints
   resolv-conf root-dir rotate-certificates rotate-server-certificates runtime-cgroups runtime-request-timeout serialize-image-pulls
   streaming-connection-idle-timeout sync-frequency system-reserved tls-cert-file tls-cipher-suites tls-min-version
   tls-private-key-file topology-manager-policy v version vmodule volume-plugin-dir`.split(/\s+/),
);

/** Computes the outcome of a start. `isRuntimeRunning`: whether containerd answers. `units`: the texts of the unit files that systemd has loaded. */
export function startKubelet(files: NodeFiles, units: readonly string[], isRuntimeRunning: boolean): KubeletStart {
  const { program, flags } = commandOf(files, units);
  const fail = (error: string | undefined): KubeletStart => ({ failure: { error, program } });
  if (program !== kubeletProgram) return fail(undefined);
  const unknownFlag = [...flags.keys()].find((name) => !flagNames.has(name));
  if (unknownFlag !== undefined) return fail(`failed to parse kubelet flag: unknown flag: --${unknownFlag}`);
  const configPath = flags.get("config") ?? "";
  const read = configurationOf(files, configPath);
  if (typeof read === "string") return fail(read);
  const authority = read.authentication?.x509?.clientCAFile ?? "";
  if (authority !== "" && textAt(files, authority) === undefined)
    return fail(
      `failed to construct kubelet dependencies: unable to load client CA file ${authority}: open ${authority}: no such file or directory`,
    );
  const kubeconfig = flags.get("kubeconfig") ?? "";
  const text = textAt(files, kubeconfig);
  if (text === undefined) {
    const bootstrap = flags.get("bootstrap-kubeconfig") ?? "";
    return fail(
      `failed to run Kubelet: unable to load bootstrap kubeconfig: stat ${bootstrap}: no such file or directory`,
    );
  }
  const connection = connectionOf(files, kubeconfig, text);
  if (typeof connection === "string") return fail(connection);
  const endpoint =
    flags.get("container-runtime-endpoint") ?? read.containerRuntimeEndpoint ?? `unix://${runtimeSocket}`;
  if (!isRuntimeRunning || endpoint.replace(/^unix:\/\//, "").replace(/^\/var\/run\//, "/run/") !== runtimeSocket)
    return fail(runtimeError(endpoint));
  const mode = flags.get("authorization-mode") ?? read.authorization?.mode ?? "Webhook";
  if (mode !== "AlwaysAllow" && mode !== "Webhook")
    return fail(`failed to run Kubelet: unknown authorization mode ${mode}`);
  return {
    loaded: {
      staticPodPath: flags.get("pod-manifest-path") ?? read.staticPodPath ?? "",
      server: connection.server,
      version: releaseOf(files, "kubelet"),
      allowsAnonymous:
        (flags.get("anonymous-auth") ?? String(read.authentication?.anonymous?.enabled ?? false)) === "true",
      allowsAll: mode === "AlwaysAllow",
      readOnlyPort: Number(flags.get("read-only-port") ?? read.readOnlyPort ?? 0),
    },
  };
}

/** Returns the latest time at which a file changed from which kubelets usually start. */
export function inputsChangedMs(files: NodeFiles): number {
  const paths = [environmentFile, "/var/lib/kubelet/config.yaml", "/etc/kubernetes/kubelet.conf"];
  return Math.max(...paths.map((path) => files.get(path)?.changedMs ?? 0));
}

export function readUnits(files: NodeFiles): readonly string[] {
  return unitFiles.map((path) => textAt(files, path) ?? "");
}

const environmentFile = "/var/lib/kubelet/kubeadm-flags.env";

function textAt(files: NodeFiles, path: string): string | undefined {
  return files.get(path)?.text;
}

/** Returns the program and the flags of the unit's last `ExecStart`, with its environment. */
function commandOf(files: NodeFiles, units: readonly string[]) {
  const variables = new Map<string, string>();
  let command = "";
  for (const line of units.join("\n").split("\n")) {
    const [, key = "", value = ""] = /^\s*(\w+)=(.*)$/.exec(line) ?? [];
    if (key === "Environment") setVariable(variables, value.replace(/^"(.*)"$/, "$1"));
    if (key === "EnvironmentFile")
      for (const pair of (textAt(files, value.replace(/^-/, "")) ?? "").split("\n")) setVariable(variables, pair);
    if (key === "ExecStart") command = value.trim();
  }
  const words = command
    .split(/\s+/)
    .flatMap((word) => (word.startsWith("$") ? (variables.get(word.slice(1)) ?? "").split(/\s+/) : [word]))
    .filter((word) => word !== "");
  const flags = new Map<string, string>();
  for (const word of words.slice(1)) {
    const [, name = "", value = "true"] = /^--?([\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name !== "") flags.set(name, value);
  }
  return { program: words[0] ?? "", flags };
}

function setVariable(variables: Map<string, string>, pair: string): void {
  const [, name = "", value = ""] = /^\s*(\w+)=(.*)$/.exec(pair) ?? [];
  if (name !== "") variables.set(name, value.replace(/^"(.*)"$/, "$1"));
}

/** The fields of the configuration that decide about a start. */
interface Configuration {
  readonly authentication?: {
    readonly anonymous?: { readonly enabled?: boolean };
    readonly x509?: { readonly clientCAFile?: string };
  };
  readonly authorization?: { readonly mode?: string };
  readonly readOnlyPort?: number;
  readonly containerRuntimeEndpoint?: string;
  readonly staticPodPath?: string;
}

/** The types of fields that are often mistyped, by their path in Go's struct. */
const fieldTypes: readonly (readonly [path: string, type: "string" | "boolean" | "number" | "list"])[] = [
  ["staticPodPath", "string"],
  ["clusterDomain", "string"],
  ["cgroupDriver", "string"],
  ["containerRuntimeEndpoint", "string"],
  ["clusterDNS", "list"],
  ["healthzPort", "number"],
  ["port", "number"],
  ["readOnlyPort", "number"],
  ["maxPods", "number"],
  ["rotateCertificates", "boolean"],
  ["failSwapOn", "boolean"],
  ["serverTLSBootstrap", "boolean"],
  ["authentication.anonymous.enabled", "boolean"],
  ["authentication.webhook.enabled", "boolean"],
  ["authentication.x509.clientCAFile", "string"],
  ["authorization.mode", "string"],
];

/** Returns the configuration, or the error of reading it. */
function configurationOf(files: NodeFiles, path: string): Configuration | string {
  const failed = (why: string) =>
    `failed to load kubelet config file, path: ${path}, error: failed to load Kubelet config file ${path}, error ${why}`;
  const text = textAt(files, path);
  if (text === undefined)
    return failed(
      `failed to read kubelet config file ${JSON.stringify(path)}, error: open ${path}: no such file or directory`,
    );
  let value: unknown;
  try {
    ({ value } = readYaml(text));
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return failed(`failed to decode: couldn't get version/kind; json parse error: ${error.message}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return failed("failed to decode: Object 'Kind' is missing in '" + JSON.stringify(value) + "'");
  // A mapping of YAML.
  const config = value as Readonly<Record<string, unknown>>;
  const { apiVersion, kind } = config;
  if (typeof kind !== "string" || kind === "")
    return failed(`failed to decode: Object 'Kind' is missing in '${JSON.stringify(config)}'`);
  if (kind !== "KubeletConfiguration" || apiVersion !== "kubelet.config.k8s.io/v1beta1")
    return failed(
      `failed to decode: no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion ?? "v1")} in scheme "pkg/kubelet/apis/config/scheme/scheme.go:34"`,
    );
  const problem = fieldTypes
    .map(([field, type]) => typeProblem(config, field, type))
    .find((error) => error !== undefined);
  if (problem) return failed(`failed to decode: ${problem}`);
  const port = config["healthzPort"];
  if (typeof port === "number" && (port < 0 || port > 65_535))
    return `failed to validate kubelet configuration, error: invalid configuration: healthzPort (--healthz-port) ${port} must be between 0 and 65535, inclusive, path: &TypeMeta{Kind:,APIVersion:,}`;
  return config;
}

function typeProblem(config: Readonly<Record<string, unknown>>, field: string, type: string): string | undefined {
  let value: unknown = config;
  for (const name of field.split("."))
    value = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  const actual = Array.isArray(value) ? "list" : typeof value;
  if (value === undefined || value === null || actual === type) return undefined;
  const expectedType = { string: "string", boolean: "bool", number: "int32", list: "[]string" }[type] ?? type;
  const actualType = actual === "list" ? "array" : actual === "boolean" ? "bool" : actual;
  return `json: cannot unmarshal ${actualType} into Go struct field KubeletConfiguration.${field} of type ${expectedType}`;
}

/** Returns the first item of a list; undefined if the value is no list. */
function firstOf<Item>(items: readonly Item[] | undefined): Item | undefined {
  return Array.isArray(items) ? (items as readonly Item[])[0] : undefined;
}

/** Returns the server of a kubeconfig, or the error of loading it. */
function connectionOf(files: NodeFiles, path: string, text: string): { readonly server: string } | string {
  const broken = (why: string) => `failed to run Kubelet: invalid kubeconfig: ${why}`;
  let value: unknown;
  try {
    ({ value } = readYaml(text));
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return broken(`error loading config file "${path}": ${error.message}`);
  }
  // The fields are checked where they are read.
  const config = (value ?? {}) as {
    readonly clusters?: readonly {
      readonly cluster?: { readonly server?: unknown; readonly "certificate-authority"?: string };
    }[];
    readonly users?: readonly { readonly user?: Readonly<Record<string, unknown>> }[];
  };
  const cluster = firstOf(config.clusters)?.cluster;
  const server = cluster?.server;
  if (typeof server !== "string" || server === "") return broken('no server found for cluster "kubernetes"');
  const user = firstOf(config.users)?.user;
  for (const [field, label] of [
    ["client-certificate", "client-cert"],
    ["client-key", "client-key"],
  ] as const) {
    const file = user?.[field];
    if (typeof file === "string" && textAt(files, file) === undefined)
      return broken(
        `invalid configuration: unable to read ${label} ${file} for default-auth due to open ${file}: no such file or directory`,
      );
  }
  return { server: server.replace(/^https?:\/\//, "").split("/", 1)[0] ?? "" };
}

function runtimeError(endpoint: string): string {
  const path = endpoint.replace(/^unix:\/\//, "");
  return `failed to run Kubelet: validate service connection: validate CRI v1 runtime API for endpoint ${JSON.stringify(endpoint)}: rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial unix ${path}: connect: no such file or directory"`;
}
