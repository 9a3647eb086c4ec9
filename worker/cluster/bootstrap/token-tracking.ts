// Since when the API server notes who uses old tokens of service accounts: it makes this ConfigMap at its first start.
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { configMaps } from "../../kinds/core/config-map.ts";
import { type Seed, seed } from "./seed.ts";

export function tokenTracking(nowMs: number): Seed {
  return seed(configMaps, {
    metadata: { name: "kube-apiserver-legacy-service-account-token-tracking", namespace: "kube-system" },
    data: { since: rfc3339(nowMs).slice(0, 10) },
  });
}
