// Reads the services and manifests of nodes from the nodes' files, for the kubelets.
import type { Node } from "../../../shared/k8s/api/core-v1.ts";
import { manifestFolder } from "../../machine/control-plane.ts";
import type { Client } from "../../registry/client.ts";
import type { KeptEdits, NodeMachine, NodeMachines } from "../cri.ts";
import { clusterView } from "../network/cluster-view.ts";
import { nodeFilesNow } from "../run/host-path.ts";
import { isApiServer } from "./node-pki.ts";
import type { Files } from "../shell/files.ts";
import { podOnNode, wholeNode } from "../../machine/node-pod.ts";
import { isRuntimeRunning, nextStartMs, unitAt } from "./units.ts";

const untouched: NodeMachine = {
  isKubeletWorking: true,
  isRuntimeRunning: true,
  kubeletVersion: undefined,
  manifests: undefined,
  untilMs: Number.POSITIVE_INFINITY,
};

/** The maximum number of manifests that a kubelet reads, and of characters of one. */
const mostManifests = 50;
const manifestCharacters = 100_000;

export function nodeMachines(edits: KeptEdits | undefined): NodeMachines {
  const cached = new Map<string, { readonly version: number; readonly machine: NodeMachine }>();
  return {
    of: (client, node, nowMs) => {
      const name = node.metadata.name ?? "";
      if (!edits?.hasNodeEdits(name)) return untouched;
      const version = edits.nodeVersion(name);
      const last = cached.get(name);
      if (last?.version === version && nowMs < last.machine.untilMs) return last.machine;
      const machine = machineOf(client, node, edits, nowMs);
      cached.set(name, { version, machine });
      return machine;
    },
  };
}

function machineOf(client: Client, node: Node, edits: KeptEdits, nowMs: number): NodeMachine {
  const view = clusterView(client, { edits });
  const files = nodeFilesNow(node, view);
  const kubelet = unitAt(files, "kubelet", nowMs);
  const { staticPodPath = manifestFolder, server, version } = kubelet.loaded ?? {};
  const isChanged = edits
    .of(podOnNode(node.metadata.name ?? ""), wholeNode)
    .some(({ path }) => path === staticPodPath || path.startsWith(`${staticPodPath}/`));
  return {
    isKubeletWorking: kubelet.isActive && (server === undefined || isApiServer(server, view.controlPlane?.())),
    isRuntimeRunning: isRuntimeRunning(files, nowMs),
    kubeletVersion: version,
    manifests: isChanged || staticPodPath !== manifestFolder ? manifestsIn(files, staticPodPath) : undefined,
    untilMs: nextStartMs(files, kubelet, nowMs),
  };
}

function manifestsIn(files: Files, folder: string) {
  if (folder === "") return [];
  return files
    .names(folder)
    .filter((name) => !name.startsWith("."))
    .slice(0, mostManifests)
    .flatMap((name) => {
      const path = `${folder}/${name}`;
      const text = files.get(path)?.text;
      return text === undefined || text.length > manifestCharacters ? [] : [{ path, text }];
    });
}
