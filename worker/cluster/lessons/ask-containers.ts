// Asks containers for the checks of a lesson: sends an HTTP request as a pod of the cluster, and reads the log of a container.
import { lastPodAddress } from "../../../shared/k8s/settings/cluster-network.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { limits } from "../../../shared/base/limits.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { type HttpFact, NoEvidence } from "../../../shared/lesson/expressions.ts";
import { containerOf } from "../../api/connect/pod-of.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import type { Contact, Reached } from "../../containers/shell/contact.ts";
import { hostOf, type Url, urlOf } from "../../containers/shell/programs/http.ts";
import { read } from "../../registry/registry.ts";
import type { Cluster } from "../cluster.ts";
import type { ContainerQuestion } from "./evidence.ts";

type LessonCluster = Pick<Cluster, "registry" | "containers" | "network">;

/** A request that takes longer fails with "timeout". */
const answerTimeoutMs = 10_000;
const zone = /\.svc(\.cluster\.local)?\.?$/;
const address = /^\d+\.\d+\.\d+\.\d+$/;

/** Returns the pod that sends the request if the check names none: it has an address of its own, and no labels that a policy could select. */
function checkPod(ip: string): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "lesson-check", namespace: "default", uid: "lesson-check", labels: {} },
    spec: { containers: [] },
    status: { phase: "Running", podIP: ip, podIPs: [{ ip }] },
  };
}

/** Ends a request whose computation costs too much. */
class OverBudget extends Error {}

/** Sends a GET request. Returns the response, or an error as a fact that the check can evaluate. */
export async function askHttp(
  { registry, network }: LessonCluster,
  { from, url: text }: Extract<ContainerQuestion, { what: "http" }>,
): Promise<HttpFact> {
  const url = urlOf(text);
  if (!url || url.scheme === "ftp") return failedFact("unknown host");
  const pod = from === "" ? checkPod(lastPodAddress(registry.network)) : podNamed({ registry }, from);
  if (!pod) return failedFact("unknown host");
  const to = addressOf(network, url.host, pod.metadata.namespace ?? "default");
  if (to === undefined) return failedFact("unknown host");
  let work = 0;
  const pays = (units: number) => {
    work += units;
    if (work > limits.checkNetworkWork) throw new OverBudget();
  };
  const headers = [["Host", hostOf(url)] as const, ["User-Agent", "sandbar-check"] as const];
  const request = { method: "GET", path: url.path, headers, body: "" };
  const contact: Contact = { address: to, port: url.port, atMs: registry.clock.nowMs(), request, pays };
  try {
    return factOf(await network.open(pod, contact), url);
  } catch (error) {
    // A check cannot distinguish a server that costs too much, or whose objects cannot be read, from a slow one.
    if (error instanceof OverBudget || error instanceof ApiError) return failedFact("timeout");
    throw error;
  }
}

/** Returns the newest part of a container's log, or why there is none. */
export async function askLogs(
  { registry, containers }: LessonCluster,
  { pod: name, container: named }: Extract<ContainerQuestion, { what: "logs" }>,
): Promise<string | NoEvidence> {
  const pod = podNamed({ registry }, name);
  if (!pod) return new NoEvidence(`there is no pod ${name}`);
  try {
    const container = containerOf(pod, named);
    const printed = await containers.printed(pod, container, { previous: false, follows: false });
    if (!printed) return new NoEvidence(`container ${container} of pod ${name} has not run`);
    const text = printed.lines.slice(0, printed.count).map((line) => `${line.text}\n`);
    return text.join("").slice(-limits.checkLogCharacters);
  } catch (error) {
    if (error instanceof ApiError) return new NoEvidence(error.message);
    throw error;
  }
}

/** Finds a pod by `namespace/name`, or by its name in the namespace `default`. */
function podNamed({ registry }: Pick<LessonCluster, "registry">, text: string): Pod | undefined {
  const at = text.indexOf("/");
  const [namespace, name] = at < 0 ? ["default", text] : [text.slice(0, at), text.slice(at + 1)];
  return read(registry, pods, namespace, name);
}

/** Resolves a host as the cluster's DNS does: `web`, `web.shop`, `web.shop.svc.cluster.local`, `web-0.web.shop`. */
function addressOf(network: LessonCluster["network"], host: string, namespace: string): string | undefined {
  if (address.test(host)) return host;
  const labels = host.toLowerCase().replace(zone, "").split(".");
  const [first = "", second = namespace, third] = labels;
  if (third === undefined) return network.service(second, first)?.addresses[0];
  return labels.length === 3 ? network.service(third, second)?.hosts[first]?.address : undefined;
}

function factOf({ kind, answer, tookMs = 0 }: Reached, { scheme }: Url): HttpFact {
  if (kind === "refused") return failedFact("refused");
  if (kind === "unreachable" || kind === "outside") return failedFact("unreachable");
  // With TLS on one side only, each side waits for the other.
  const isMismatched = answer !== undefined && (answer.isTls === true) !== (scheme === "https");
  if (!answer || tookMs > answerTimeoutMs || isMismatched) return failedFact("timeout");
  const ownHeaders: Record<string, string> = { "content-type": answer.contentType };
  for (const [name, value] of answer.headers ?? []) ownHeaders[name.toLowerCase()] = value;
  return {
    status: answer.status,
    body: answer.body.slice(0, limits.checkBodyCharacters),
    headers: ownHeaders,
    error: "",
  };
}

function failedFact(error: string): HttpFact {
  return { status: 0, body: "", headers: {}, error };
}
