// DefaultTolerationSeconds: adds tolerations of five minutes for the taints not-ready and unreachable, unless the pod has its own.
import type { Toleration } from "../../shared/k8s/api/core-v1.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { writtenObject } from "./common/handled.ts";

const taints = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];
const tolerationSeconds = 300;

export const defaultTolerationSeconds: AdmissionPlugin = {
  name: "DefaultTolerationSeconds",
  mutate(request) {
    const pod = writtenObject(pods, request, "CREATE", "UPDATE")?.object;
    if (!pod) return;
    const tolerations = pod.spec.tolerations ?? [];
    const missing = taints.filter((key) => !tolerations.some((toleration) => covers(toleration, key)));
    if (!missing.length) return;
    const added = missing.map(
      (key): Toleration => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds }),
    );
    pod.spec.tolerations = [...tolerations, ...added];
  },
};

function covers({ key, effect }: Toleration, taint: string): boolean {
  return (!key || key === taint) && (!effect || effect === "NoExecute");
}
