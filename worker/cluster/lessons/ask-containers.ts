// Answers of containers for the checks of a lesson: an HTTP request as a pod inside would send it, and what a container has printed.
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

/** A server that takes longer has not answered. */
const patienceMs = 10_000;
const zone = /\.svc(\.cluster\.local)?\.?$/;
const address = /^\d+\.\d+\.\d+\.\d+$/;

/** Returns the pod that asks if the check names none: it has no labels, no policies, and an address of its own. */
function visitor(ip: string): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "lesson-check", namespace: "default", uid: "lesson-check", labels: {} },
    spec: { containers: [] },
    status: { phase: "Running", podIP: ip, podIPs: [{ ip }] },
  };
}

export async function askHttp(
  { registry, network }: LessonCluster,
  { from, url: text }: Extract<ContainerQuestion, { what: "http" }>,
): Promise<HttpFact> {
  const url = urlOf(text);
  if (!url || url.scheme === "ftp") return unanswered("unknown host");
  const pod = from === "" ? visitor(lastPodAddress(registry.network)) : podNamed({ registry }, from);
  if (!pod) return unanswered("unknown host");
  const to = addressOf(network, url.host, pod.metadata.namespace ?? "default");
  if (to === undefined) return unanswered("unknown host");
  let work = 0;
  const pays = (units: number) => {
    work += units;
    if (work > limits.checkNetworkWork) throw new TooMuch();
  };
  const headers = [["Host", hostOf(url)] as const, ["User-Agent", "sandbar-check"] as const];
  const request = { method: "GET", path: url.path, headers, body: "" };
  const contact: Contact = { address: to, port: url.port, atMs: registry.clock.nowMs(), request, pays };
  try {
    return factOf(await network.open(pod, contact), url);
  } catch (error) {
    if (error instanceof TooMuch || error instanceof ApiError) return unanswered("timeout");
    throw error;
  }
}

class TooMuch extends Error {}

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

/** `namespace/name`, or a name in the namespace `default`. */
function podNamed({ registry }: Pick<LessonCluster, "registry">, text: string): Pod | undefined {
  const at = text.indexOf("/");
  const [namespace, name] = at < 0 ? ["default", text] : [text.slice(0, at), text.slice(at + 1)];
  return read(registry, pods, namespace, name);
}

/** As the cluster's DNS answers: `web`, `web.shop`, `web.shop.svc.cluster.local`, `web-0.web.shop`. */
function addressOf(network: LessonCluster["network"], host: string, namespace: string): string | undefined {
  if (address.test(host)) return host;
  const labels = host.toLowerCase().replace(zone, "").split(".");
  const [first = "", second = namespace, third] = labels;
  if (third === undefined) return network.service(second, first)?.addresses[0];
  return labels.length === 3 ? network.service(third, second)?.hosts[first]?.address : undefined;
}

function factOf({ kind, answer, tookMs = 0 }: Reached, { scheme }: Url): HttpFact {
  if (kind === "refused") return unanswered("refused");
  if (kind === "unreachable" || kind === "outside") return unanswered("unreachable");
  if (!answer || tookMs > patienceMs || (answer.isTls === true) !== (scheme === "https")) return unanswered("timeout");
  const ownHeaders: Record<string, string> = { "content-type": answer.contentType };
  for (const [name, value] of answer.headers ?? []) ownHeaders[name.toLowerCase()] = value;
  return {
    status: answer.status,
    body: answer.body.slice(0, limits.checkLogCharacters),
    headers: ownHeaders,
    error: "",
  };
}

function unanswered(error: string): HttpFact {
  return { status: 0, body: "", headers: {}, error };
}
