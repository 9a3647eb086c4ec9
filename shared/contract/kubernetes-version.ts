// The Kubernetes versions of sandboxes, for clients of the control API.
export { type KubernetesVersion, newestVersion, supportedVersions } from "../k8s/settings/release.ts";
