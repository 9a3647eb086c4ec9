// Pods for admission tests.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { objectOf } from "./request.ts";

export function podOf(spec: object = {}, metadata: object = {}): Pod {
  return objectOf(pods, {
    metadata: { name: "web", namespace: "team", ...metadata },
    spec: { containers: [{ name: "web", image: "nginx" }], ...spec },
  });
}
