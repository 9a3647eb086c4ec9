// The kubelet's port: authentication, authorization by the cluster's rules, and the pages that a simulated kubelet has.
import { limits } from "../../../shared/base/limits.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { PortRequest, ServerAnswer } from "../../../shared/k8s/port-request.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import { podOnNode, wholeNode } from "../../machine/node-pod.ts";
import { unitAt } from "../node/units.ts";
import { kubeletConfiguration } from "../run/host-files.ts";
import { nodeFilesNow } from "../run/host-path.ts";
import type { ClusterView } from "../run/world.ts";
import { userOf } from "./api-server.ts";
import { kubeletMetrics } from "./kubelet-metrics.ts";

type Client = ReconcileContext["client"];

export const kubeletPort = 10250;

/** The work of listing one pod, and of one letter of it. */
const objectWork = 5;
const letterWork = 1 / 64;
const verbs: Readonly<Record<string, string>> = {
  GET: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};
/** The subresource of nodes that each path requires; `proxy` for all others. */
const alone: Readonly<Record<string, string>> = {
  stats: "stats",
  metrics: "metrics",
  logs: "log",
  checkpoint: "checkpoint",
  statusz: "statusz",
  flagz: "configz",
};
/** The paths that a rule for `nodes/proxy` also allows. */
const fine: Readonly<Record<string, string>> = {
  pods: "pods",
  runningpods: "pods",
  healthz: "healthz",
  configz: "configz",
};

/** The requests that a kubelet accepts, by the configuration with which it was started. */
export interface KubeletAccess {
  readonly allowsAnonymous: boolean;
  readonly allowsAll: boolean;
  /** The port without TLS and authentication; 0 if it is closed. */
  readonly readOnlyPort: number;
}

/** The access of kubeadm's kubelets. */
const installedAccess: KubeletAccess = { allowsAnonymous: false, allowsAll: false, readOnlyPort: 0 };

/** The work of reading the files of a node. */
const filesWork = 100;

export function kubeletAccess(
  client: Client,
  view: ClusterView,
  name: string,
  { atMs, pays }: Omit<KubeletPageOptions, "most">,
): KubeletAccess {
  const node = client.get(nodes, "", name);
  if (!node || view.edits(podOnNode(name), wholeNode).length === 0) return installedAccess;
  pays?.(filesWork);
  // A stranger can write the file of the unit's state.
  const loaded = unitAt(nodeFilesNow(node, view), "kubelet", atMs).loaded as Partial<KubeletAccess> | undefined;
  return {
    allowsAnonymous: loaded?.allowsAnonymous === true,
    allowsAll: loaded?.allowsAll === true,
    readOnlyPort: typeof loaded?.readOnlyPort === "number" ? loaded.readOnlyPort : 0,
  };
}

/** Answers a request at the port without authentication. */
export function readOnlyAnswer(
  client: Client,
  node: string,
  { path }: PortRequest,
  { atMs, pays }: Omit<KubeletPageOptions, "most">,
): ServerAnswer {
  const [bare = "/"] = path.split("?");
  const { isTls: _, ...plain } = kubeletPage(client, node, bare, { most: limits.containerListBytes, atMs, pays });
  return plain;
}

/** Answers a request of a pod, authenticated and authorized as the kubelet's configuration says. */
export function kubeletAnswer(
  client: Client,
  view: ClusterView,
  pod: Pod,
  node: string,
  { method, path, headers }: PortRequest,
  { atMs, pays }: Omit<KubeletPageOptions, "most">,
): ServerAnswer {
  const [bare = "/"] = path.split("?");
  const authorization = headers.find(([name]) => name.toLowerCase() === "authorization")?.[1];
  const access = kubeletAccess(client, view, node, { atMs, pays });
  const isRefused = authorization === undefined && !access.allowsAnonymous;
  const user = isRefused ? undefined : userOf(view, pod, authorization);
  if (!user) return textAnswer(401, "Unauthorized");
  const first = bare.split("/")[1] ?? "";
  const subresources = [...subresourcesFor(fine, first), subresourcesFor(alone, first)[0] ?? "proxy"];
  const verb = verbs[method] ?? "";
  const common = { isResource: true, verb, group: "", plural: "nodes", namespace: "", name: node, path: "" };
  if (
    !access.allowsAll &&
    !subresources.some((subresource) => client.decide(user, { ...common, subresource }).allowed)
  ) {
    const attributes = `user=${user.name}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(" ")}]`;
    return textAnswer(403, `Forbidden (${attributes})\n`);
  }
  return kubeletPage(client, node, bare, { most: limits.containerListBytes, atMs, pays });
}

export interface KubeletPageOptions {
  /** The maximum of bytes in a list. */
  readonly most: number;
  readonly atMs: number;
  readonly pays?: ((units: number) => void) | undefined;
}

/** Returns the page at a path, without authorization. */
export function kubeletPage(client: Client, node: string, path: string, options: KubeletPageOptions): ServerAnswer {
  if (/^\/healthz(\/|$)/.test(path)) return textAnswer(200, "ok");
  if (/^\/pods\/?$/.test(path)) return podList(client, node, (pod) => pod, options);
  if (/^\/runningpods\/?$/.test(path)) return podList(client, node, running, options);
  if (path === "/configz") return json(`${JSON.stringify({ kubeletconfig: kubeletConfiguration(client.network) })}\n`);
  if (/^\/logs\/?$/.test(path)) return { ...textAnswer(200, logFolders), contentType: "text/html; charset=utf-8" };
  const metrics = kubeletMetrics(client, node, path, options);
  if (metrics === undefined) return textAnswer(404, "404 page not found\n");
  if (metrics.length > options.most) return textAnswer(413, tooLong(options));
  return { ...textAnswer(200, metrics), contentType: "text/plain; version=0.0.4; charset=utf-8" };
}

function tooLong({ most }: KubeletPageOptions): string {
  return `the node's pods are more than ${most} bytes\n`;
}

const logFolders = `<!doctype html>
<meta name="viewport" content="width=device-width">
<pre>
<a href="containers/">containers/</a>
<a href="pods/">pods/</a>
</pre>
`;

/** Returns a pod as the container runtime knows it. */
function running({ metadata: { name, namespace, uid }, spec, status }: Pod): object | undefined {
  if (status.phase !== "Running") return undefined;
  const containers = spec.containers.map((container) => ({
    name: container.name,
    image: container.image,
    resources: {},
  }));
  return { metadata: { name, namespace, uid }, spec: { containers }, status: {} };
}

function podList(
  client: Client,
  node: string,
  form: (pod: Pod) => object | undefined,
  options: KubeletPageOptions,
): ServerAnswer {
  const { most, pays } = options;
  const items: string[] = [];
  let letters = 0;
  for (const pod of client.byIndexValue(pods, node)) {
    const listedPod = form(pod);
    if (!listedPod) continue;
    const item = JSON.stringify(listedPod);
    pays?.(objectWork + item.length * letterWork);
    letters += item.length;
    if (letters > most) return textAnswer(413, tooLong(options));
    items.push(item);
  }
  return json(`{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[${items.join(",")}]}\n`);
}

function subresourcesFor(subresources: Readonly<Record<string, string>>, name: string): string[] {
  const subresource = Object.hasOwn(subresources, name) ? subresources[name] : undefined;
  return subresource === undefined ? [] : [subresource];
}

function json(body: string): ServerAnswer {
  return { ...textAnswer(200, body), contentType: "application/json" };
}

function textAnswer(status: number, body: string): ServerAnswer {
  return { status, contentType: "text/plain; charset=utf-8", body, isTls: true };
}
