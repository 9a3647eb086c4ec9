// The cluster as templates see it if the command reaches none, as `helm template` does.
import type { Capabilities } from "./objects.ts";

/** The groups and versions that Helm's library knows. */
const groups: Readonly<Record<string, string>> = {
  "": "v1",
  "admissionregistration.k8s.io": "v1 v1alpha1 v1beta1",
  "internal.apiserver.k8s.io": "v1alpha1",
  apps: "v1 v1beta1 v1beta2",
  "authentication.k8s.io": "v1 v1alpha1 v1beta1",
  "authorization.k8s.io": "v1 v1beta1",
  autoscaling: "v1 v2",
  batch: "v1 v1beta1",
  "certificates.k8s.io": "v1 v1beta1 v1alpha1",
  "coordination.k8s.io": "v1alpha2 v1beta1 v1",
  "discovery.k8s.io": "v1 v1beta1",
  "events.k8s.io": "v1 v1beta1",
  extensions: "v1beta1",
  "flowcontrol.apiserver.k8s.io": "v1 v1beta1 v1beta2 v1beta3",
  "networking.k8s.io": "v1 v1beta1",
  "node.k8s.io": "v1 v1alpha1 v1beta1",
  policy: "v1 v1beta1",
  "rbac.authorization.k8s.io": "v1 v1beta1 v1alpha1",
  "resource.k8s.io": "v1 v1beta2 v1beta1 v1alpha3",
  "scheduling.k8s.io": "v1alpha2 v1beta1 v1",
  "storage.k8s.io": "v1beta1 v1 v1alpha1",
  "storagemigration.k8s.io": "v1beta1",
  "apiextensions.k8s.io": "v1beta1 v1",
};

export const defaultCapabilities: Capabilities = {
  kubeVersion: "v1.36.0",
  apiVersions: new Set(
    Object.entries(groups).flatMap(([group, versions]) =>
      versions.split(" ").map((version) => (group === "" ? version : `${group}/${version}`)),
    ),
  ),
};
