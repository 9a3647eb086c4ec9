// Enforces the node limit of a sandbox. Upstream has no such plugin; this is a limit of the service, like those of the store.
import type { SandboxLimits } from "../../shared/contract/sandbox-limits.ts";
import { limitExceeded } from "../../shared/k8s/bounds/limit-exceeded.ts";
import { nodes } from "../kinds/core/node/node.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { writtenObject } from "./common/handled.ts";

/** Returns the plugin. `bounds` is read for each new node. */
export function nodeLimit(bounds: Pick<SandboxLimits, "nodes">): AdmissionPlugin {
  return {
    name: "NodeLimit",
    validate(request) {
      if (!writtenObject(nodes, request, "CREATE")) return;
      const used = request.context.count(nodes);
      if (used >= bounds.nodes) throw limitExceeded("nodes", { used, limited: bounds.nodes });
    },
  };
}
