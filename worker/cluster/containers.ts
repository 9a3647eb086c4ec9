// What the API finds in the containers: the simulated kubelet's answers, for the pods as they are stored.
import { proxyAddress } from "../../shared/k8s/settings/cluster-network.ts";
import { limits } from "../../shared/base/limits.ts";
import { countBefore } from "../../shared/base/partition.ts";
import type { Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { PortAnswer } from "../../shared/k8s/port-request.ts";
import type { Containers } from "../api/connect/containers.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { isImported, isSimulated } from "../kinds/core/node/simulated.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import { kubeletPage, kubeletPort } from "../containers/network/kubelet-server.ts";
import { nextOutputMs } from "../containers/run-ahead.ts";
import { portAnswer, type PortAnswered } from "../containers/port-answer.ts";
import { attachedOutput, execOutput, isPreviousRun } from "../containers/output.ts";
import { nodeFilesNow } from "../containers/run/host-path.ts";
import type { Affects, ClusterView } from "../containers/run/world.ts";
import type { Edit } from "../containers/shell/files.ts";
import type { Contact, Reached } from "../containers/shell/contact.ts";
import { isNodePod, nodePod, wholeNode } from "../machine/node-pod.ts";
import type { Client } from "../registry/client.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { LogFollowers } from "./runs/followers.ts";
import type { Timeline } from "./runs/timeline.ts";
import { runReader, type RunReaderOptions } from "./runs/run-reader.ts";

export interface ContainersOptions extends RunReaderOptions {
  readonly runtime: Runtime;
  readonly timeline: Timeline;
  /** Lets others have a turn. */
  pause(): Promise<void>;
  /** Absent where there are no sockets. */
  readonly news?: LogFollowers | undefined;
}

/** The kubelet takes a moment to see that a container has ended. */
const noticeMs = 200;

export function simulatedContainers(options: ContainersOptions): Containers {
  const { client, clock, edits, runtime, cache, news, timeline } = options;
  const runs = runReader(options);
  const isThere = (pod: Pod) => isNodePod(pod) || isStored(client, pod);
  const affecting = () => affectingView(runs.view(), isThere, options);
  return {
    printed: async (pod, container, { previous, follows }) => {
      await catchUp(options);
      const log = await runs.log(pod, container, {
        previous,
        isAhead: follows,
        onResult: (log, position) => {
          if (follows && !log.followedRun.ended) news?.expect(pod, container, position);
        },
      });
      if (!log) return undefined;
      const { followedRun: result, lines } = log;
      if (result.ended) return { lines, count: lines.length, hasEnded: true };
      const nowMs = clock.nowMs();
      const ownMs = nextOutputMs(result, nowMs);
      const visitMs = Math.min(timeline.nextVisitMs(pod.metadata.uid ?? "") + 1, timeline.nextRunMs(pod, container));
      const atMs = ownMs === undefined ? undefined : Math.min(ownMs, visitMs);
      const count = countBefore(lines, (line) => line.atMs <= nowMs);
      return { lines, count, hasEnded: false, ...(atMs === undefined ? {} : { nextOutputMs: atMs }) };
    },
    news: news && ((pod, container) => news.join(pod, container)),
    execute: async (pod, container, { words, startMs, untilMs, input }) => {
      await catchUp(options);
      const log = await runs.log(pod, container, { previous: false, isAhead: true });
      const command = { words, nowMs: startMs, untilMs, input };
      const run = () => execOutput(pod, container, affecting(), log?.followedRun, command);
      const done = await cache.runGuarded(pod, container, run);
      if (!done || "missing" in done) return done;
      return { chunks: done.chunks, end: done.end, changes: done.edits };
    },
    type: (pod, container, startMs, input) => {
      if (edits.type(pod, container, startMs, input)) look(runtime, pod);
    },
    attach: async (pod, container, { startMs, nowMs }) => {
      await catchUp(options);
      const attachedRun = await runs.attached(pod, container, isPreviousRun(pod, container, startMs));
      if (!attachedRun) return undefined;
      const { endsMs, ...output } = attachedOutput(attachedRun, nowMs);
      const later = endsMs === undefined ? attachedRun.untilMs : Math.max(endsMs, nowMs + noticeMs);
      return { ...output, changes: [], nextChangeMs: Math.min(later, timeline.nextRunMs(pod, container)) };
    },
    answer: async (pod, port, visit) => {
      await catchUp(options);
      const nowMs = clock.nowMs();
      const answer = portAnswer(
        pod,
        await runs.ports(pod),
        { proxyAddress: proxyAddress(client.network), ...visit, port, nowMs },
        affecting(),
      );
      if (!answer) return undefined;
      const { changes } = answer;
      if (changes && isThere(pod) && edits.add(pod, changes.container, changes.edits)) look(runtime, pod);
      return forClient(answer);
    },
    ...onNodes(client, () => runs.view()),
    realKubelet: (name) => realKubelet(client, name),
    kubelet: (node, path) => kubeletPage(client, node, path, { most: limits.kubeletListBytes, atMs: clock.nowMs() }),
    keep: (pod, container, changes) => {
      // They are those that `execute` gave. Probes may answer otherwise from now on.
      if (isThere(pod) && edits.keep(pod, container, changes as readonly Edit[])) look(runtime, pod);
    },
  };
}

function isStored(client: Client, { metadata: { namespace = "", name = "", uid } }: Pod): boolean {
  return client.get(pods, namespace, name)?.metadata.uid === uid;
}

/** Returns what the API finds on the nodes themselves. */
function onNodes(client: Client, view: () => ClusterView): Pick<Containers, "onNode" | "fileOnNode"> {
  return {
    onNode: (name, startMs) => {
      const node = client.get(nodes, "", name);
      if (!node) throw ApiError.notFound(nodes.groupResource, name);
      return { pod: nodePod(node, startMs), container: wholeNode };
    },
    fileOnNode: (name, path) => {
      const node = client.get(nodes, "", name);
      return node && nodeFilesNow(node, view()).get(path)?.text;
    },
  };
}

/** The network as a pod sees it at this moment. */
export interface Network {
  /** Throws 503 where an earlier look ended the cluster's process. */
  open(from: Pod, contact: Contact): Promise<Reached>;
  service(namespace: string, name: string): ReturnType<ClusterView["service"]>;
}

export function simulatedNetwork(options: ContainersOptions): Network {
  const runs = runReader(options);
  return {
    open: async (from, contact) => {
      await catchUp(options);
      return options.cache.runGuarded(from, "", () => runs.view().network?.(from)(contact) ?? { kind: "unreachable" });
    },
    service: (namespace, name) => runs.view().service(namespace, name, options.clock.nowMs()),
  };
}

/** Records what containers have done to each other by now, in turns, before somebody looks at one of them. */
async function catchUp({ timeline, cache, pause }: ContainersOptions): Promise<void> {
  while (timeline.isDue) {
    const isDone = await cache.runGuarded(timelinePlace, "", () => timeline.advance());
    if (isDone) return;
    await pause();
  }
}

/** Names the timeline where a container is named whose run killed the process. */
const timelinePlace = { metadata: { namespace: "", name: "", uid: "timeline" } } as Pod;

/** Returns what a client gets of an answer, without what it changes in the container. */
function forClient(answer: PortAnswered): PortAnswer {
  const { status, contentType, headers = [], body, language, tookMs, isTls, mayBeTls } = answer;
  return {
    status,
    contentType,
    headers,
    body,
    ...(language ? { language } : {}),
    ...(isTls ? { isTls } : {}),
    ...(mayBeTls ? { mayBeTls } : {}),
    ...(tookMs ? { tookMs } : {}),
  };
}

function realKubelet(client: Client, name: string): string | undefined {
  const node = client.get(nodes, "", name);
  // Upstream's registry names the resource of the request, not that of the node.
  if (!node) throw ApiError.notFound(pods.groupResource, name);
  return isSimulated(node) || isImported(node) ? undefined : kubeletAddress(node);
}

/** Returns `host:port` by the preference of kubeadm's API servers (`--kubelet-preferred-address-types`). */
function kubeletAddress({ metadata, status }: Node): string {
  const { addresses = [], daemonEndpoints } = status;
  const preferred = ["InternalIP", "ExternalIP", "Hostname"].flatMap((type) =>
    addresses.filter((address) => address.type === type),
  );
  const host = preferred[0]?.address ?? metadata.name ?? "";
  return `${host}:${daemonEndpoints?.kubeletEndpoint?.Port || kubeletPort}`;
}

/** A command may be worked out again, on the same time: what it does to others is kept once. */
function affectingView(
  view: ClusterView,
  isThere: (pod: Pod) => boolean,
  { edits, runtime }: ContainersOptions,
): ClusterView {
  const affects: Affects = (pod, container, changes) => {
    if (isThere(pod) && edits.keep(pod, container, changes)) look(runtime, pod);
  };
  return view.affecting?.(affects) ?? view;
}

function look(runtime: Runtime, { metadata: { namespace = "", name = "" } }: Pod): void {
  runtime.request("kubelet", { namespace, name });
}
