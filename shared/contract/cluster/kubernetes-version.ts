// The Kubernetes versions of sandboxes, for clients of the control API.
export { type KubernetesVersion, supportedVersions } from "../../k8s/settings/release.ts";
