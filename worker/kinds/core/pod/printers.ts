// The columns of `kubectl get pods`, and of `-o wide`.
import type { Pod } from "../../../../shared/k8s/api/core-v1.ts";
import { ageColumn, nameColumn } from "../../common/printers.ts";
import type { Column } from "../../kind.ts";
import { restartsText, summarize, summarizeBefore135 } from "../../../../shared/k8s/pod-summary.ts";

const statusColumn: Column<Pod> = {
  name: "Status",
  type: "string",
  description: "What the containers are doing, taken together.",
  cell: (pod) => summarize(pod).reason,
};

export const podColumns: readonly Column<Pod>[] = [
  nameColumn,
  {
    name: "Ready",
    type: "string",
    description: "How many of the containers are ready for traffic.",
    cell: (pod) => {
      const { ready, total } = summarize(pod);
      return `${ready}/${total}`;
    },
  },
  statusColumn,
  {
    name: "Restarts",
    type: "string",
    description: "How often containers were restarted, and when last.",
    cell: (pod, nowMs) => restartsText(summarize(pod), nowMs),
  },
  ageColumn,
  {
    name: "IP",
    type: "string",
    description: "The first address of the pod.",
    priority: 1,
    cell: ({ status }) => status.podIPs?.[0]?.ip || "<none>",
  },
  {
    name: "Node",
    type: "string",
    description: "The node that the pod is bound to.",
    priority: 1,
    cell: ({ spec }) => spec.nodeName || "<none>",
  },
  {
    name: "Nominated Node",
    type: "string",
    description: "The node where others give way to the pod.",
    priority: 1,
    cell: ({ status }) => status.nominatedNodeName || "<none>",
  },
  {
    name: "Readiness Gates",
    type: "string",
    description: "How many of the conditions that readiness waits for are true.",
    priority: 1,
    cell: readinessGates,
  },
];

export const podColumnsBefore135 = podColumns.map((column) =>
  column === statusColumn ? { ...column, cell: (pod: Pod) => summarizeBefore135(pod).reason } : column,
);

function readinessGates({ spec, status }: Pod): string {
  const gates = spec.readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  const open = gates.filter(({ conditionType }) => {
    const condition = status.conditions?.find(({ type }) => type === conditionType);
    return condition?.status === "True";
  });
  return `${open.length}/${gates.length}`;
}
