// The kind ComponentStatus: the health of control plane components. It is not stored; in this emulation they are always healthy.
import type { ComponentStatus } from "../../../shared/k8s/api/core-v1.ts";
import { nameColumn } from "../common/printers.ts";
import { type Column, defineKind, type Kind } from "../kind.ts";

const components = ["controller-manager", "etcd-0", "scheduler"];

export const componentStatuses: Kind<ComponentStatus> = {
  ...defineKind<ComponentStatus>("", "v1", "componentstatuses", {
    deprecation: "v1 ComponentStatus is deprecated in v1.19+",
    computed: () => components.map(healthy),
    columns: [
      nameColumn,
      {
        name: "Status",
        type: "string",
        description: "Whether the component is well.",
        cell: ({ conditions = [] }) => {
          const health = conditions.find(({ type }) => type === "Healthy");
          if (!health) return "Unknown";
          return health.status === "True" ? "Healthy" : "Unhealthy";
        },
      },
      ofHealth("Message", "What it says of itself.", "message"),
      ofHealth("Error", "What went wrong when it was asked.", "error"),
    ],
  }),
  // It cannot be watched, because it never changes.
  verbs: ["get", "list"],
};

function healthy(name: string): ComponentStatus {
  return {
    apiVersion: "v1",
    kind: "ComponentStatus",
    metadata: { name },
    conditions: [{ type: "Healthy", status: "True", message: "ok" }],
  };
}

function ofHealth(name: string, description: string, field: "error" | "message"): Column<ComponentStatus> {
  return {
    name,
    type: "string",
    description,
    cell: ({ conditions = [] }) => conditions.find(({ type }) => type === "Healthy")?.[field] ?? "",
  };
}
