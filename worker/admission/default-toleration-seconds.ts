// DefaultTolerationSeconds: a pod bears a node that is not ready or unreachable for five minutes, unless it says otherwise.
import type { Toleration } from "../../shared/k8s/api/core-v1.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { handled } from "./common/handled.ts";

const taints = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];
const tolerationSeconds = 300;

export const defaultTolerationSeconds: AdmissionPlugin = {
  name: "DefaultTolerationSeconds",
  mutate(request) {
    const pod = handled(pods, request, "CREATE", "UPDATE")?.object;
    if (!pod) return;
    const given = pod.spec.tolerations ?? [];
    const missing = taints.filter((key) => !given.some((one) => covers(one, key)));
    if (!missing.length) return;
    const added = missing.map(
      (key): Toleration => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds }),
    );
    pod.spec.tolerations = [...given, ...added];
  },
};

function covers({ key, effect }: Toleration, taint: string): boolean {
  return (!key || key === taint) && (!effect || effect === "NoExecute");
}
