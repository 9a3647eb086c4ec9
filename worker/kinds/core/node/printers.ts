// The columns of `kubectl get nodes`, and of `-o wide`.
import type { Node } from "../../../../shared/k8s/api/core-v1.ts";
import { ageColumn, nameColumn } from "../../common/printers.ts";
import type { Column } from "../../kind.ts";

const kernelColumn: Column<Node> = {
  name: "Kernel-Version",
  type: "string",
  description: "The kernel, and the architecture.",
  priority: 1,
  cell: (node) => {
    const { architecture } = node.status.nodeInfo;
    return kernelOf(node) + (architecture ? ` (${architecture})` : "");
  },
};

export const nodeColumns: readonly Column<Node>[] = [
  nameColumn,
  { name: "Status", type: "string", description: "Whether the node is ready, and takes pods.", cell: statusOf },
  { name: "Roles", type: "string", description: "The roles that labels give the node.", cell: rolesOf },
  ageColumn,
  {
    name: "Version",
    type: "string",
    description: "The version of the kubelet.",
    cell: ({ status }) => status.nodeInfo.kubeletVersion,
  },
  {
    name: "Internal-IP",
    type: "string",
    description: "The address inside the cluster's network.",
    priority: 1,
    cell: (node) => addressOf(node, "InternalIP"),
  },
  {
    name: "External-IP",
    type: "string",
    description: "The address outside the cluster's network.",
    priority: 1,
    cell: (node) => addressOf(node, "ExternalIP"),
  },
  {
    name: "OS-Image",
    type: "string",
    description: "The operating system.",
    priority: 1,
    cell: ({ status }) => status.nodeInfo.osImage || "<unknown>",
  },
  kernelColumn,
  {
    name: "Container-Runtime",
    type: "string",
    description: "The container runtime.",
    priority: 1,
    cell: ({ status }) => status.nodeInfo.containerRuntimeVersion || "<unknown>",
  },
];

/** The columns before 1.36, without the architecture. */
export const nodeColumnsBefore136 = nodeColumns.map((column) =>
  column === kernelColumn ? { ...column, cell: kernelOf } : column,
);

function kernelOf({ status }: Node): string {
  return status.nodeInfo.kernelVersion || "<unknown>";
}

function statusOf({ spec, status }: Node): string {
  const ready = status.conditions?.findLast(({ type }) => type === "Ready");
  const word = ready ? (ready.status === "True" ? "Ready" : "NotReady") : "Unknown";
  return spec.unschedulable ? `${word},SchedulingDisabled` : word;
}

function rolesOf({ metadata }: Node): string {
  const prefix = "node-role.kubernetes.io/";
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (key.startsWith(prefix)) roles.add(key.slice(prefix.length));
    else if (key === "kubernetes.io/role") roles.add(value);
  }
  roles.delete("");
  return [...roles].sort().join(",") || "<none>";
}

function addressOf({ status }: Node, type: string): string {
  return status.addresses?.find((address) => address.type === type)?.address ?? "<none>";
}
