// The processes of a node itself, as a pod whose container has the node's root file system. It is not an object of the cluster.
import type { Container, Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import { rfc3339 } from "../../shared/k8s/time.ts";

/** The name of the volume and of the container. No container of a pod can have it. */
export const wholeNode = "/";
/** The image whose programs a node has. */
const nodeImage = "kindest/node";
const uidPrefix = "node/";

const volumes = [{ name: wholeNode, hostPath: { path: "/" } }];

const container: Container = {
  name: wholeNode,
  image: nodeImage,
  command: ["sleep", "infinity"],
  resources: {},
  securityContext: { privileged: true, runAsUser: 0 },
  volumeMounts: [{ name: wholeNode, mountPath: "/" }],
};

/** Returns a pod that mounts all of a node, to read and write the edits of the node's files. */
export function podOnNode(nodeName: string): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: nodeName, namespace: "", uid: `${uidPrefix}${nodeName}` },
    spec: { nodeName, containers: [container], volumes, hostNetwork: true, enableServiceLinks: false },
    status: {},
  };
}

/** Returns the pod in which commands run on a node. Its container has run since `startMs`. */
export function nodePod({ metadata, status }: Node, startMs: number): Pod {
  const pod = podOnNode(metadata.name ?? "");
  const address = status.addresses?.find(({ type }) => type === "InternalIP")?.address ?? "";
  const startedAt = rfc3339(startMs);
  return {
    ...pod,
    status: {
      phase: "Running",
      hostIP: address,
      podIP: address,
      podIPs: [{ ip: address }],
      startTime: startedAt,
      containerStatuses: [
        {
          name: wholeNode,
          image: nodeImage,
          imageID: "",
          ready: true,
          restartCount: 0,
          state: { running: { startedAt } },
          lastState: {},
        },
      ],
    },
  };
}

export function isNodePod({ metadata }: Pick<Pod, "metadata">): boolean {
  return metadata.uid?.startsWith(uidPrefix) ?? false;
}
