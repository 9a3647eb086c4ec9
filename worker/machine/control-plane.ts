// How a cluster names the node that has its control plane.

/** The ConfigMap in which kubeadm stores the configuration of the cluster. */
export const clusterConfiguration = "kubeadm-config";
/** The annotation of that ConfigMap that names the node with the control plane. */
export const controlPlaneAnnotation = "sandbar.dev/control-plane";
export const apiServerPort = 6443;
/** The folder from which kubelets read the manifests of static pods. */
export const manifestFolder = "/etc/kubernetes/manifests";
