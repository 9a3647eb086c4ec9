// Texts of fields that hold another type: the client library, from which descriptions are extracted, has none for them.
import type { Describe } from "./schema.ts";

const conventions = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";

/** Texts by type and field, without the package. */
const texts: Readonly<Record<string, string>> = {
  "Affinity.nodeAffinity": "Which nodes the pod must or should run on.",
  "Affinity.podAffinity": "Which pods it must or should run beside.",
  "Affinity.podAntiAffinity": "Which pods it must not or should not run beside.",
  "Container.lifecycle": "What to do right after the container starts and right before it stops.",
  "Container.livenessProbe": "A periodic check of whether the container is alive; it is restarted when this fails.",
  "Container.readinessProbe":
    "A periodic check of whether the container can serve; when it fails, services leave the pod out.",
  "Container.resources": "The compute resources that the container needs and may use.",
  "Container.securityContext": "The security options of the container. They override those of the pod.",
  "Container.startupProbe": "A check of whether the container has started; no other probe runs before it succeeds.",
  "ContainerStatus.lastState": "The state that the container was last terminated with.",
  "ContainerStatus.resources": "The compute resources that the running container has.",
  "ContainerStatus.state": "The container's current state.",
  "DaemonSetSpec.selector": "Which pods the daemon set manages. It must match the labels of the template.",
  "DaemonSetSpec.template": "The pod that is created on every node that its node selector matches.",
  "DaemonSetSpec.updateStrategy": "How pods are replaced when the template changes.",
  "DaemonSetUpdateStrategy.rollingUpdate": "The parameters of a rolling update. Only if type is RollingUpdate.",
  "DeploymentSpec.selector": "Which pods the deployment manages. It must match the labels of the template.",
  "DeploymentSpec.strategy": "How existing pods are replaced by new ones.",
  "DeploymentSpec.template": "The pods that are created. Their restartPolicy must be Always.",
  "DeploymentStrategy.rollingUpdate": "The parameters of a rolling update. Only if type is RollingUpdate.",
  "EnvVar.valueFrom": "Where the value comes from. Not together with a value.",
  "EnvVarSource.configMapKeyRef": "A key of a ConfigMap.",
  "EnvVarSource.fieldRef": "A field of the pod, such as metadata.name or status.podIP.",
  "EnvVarSource.fileKeyRef": "A key of a file in a volume of the pod.",
  "EnvVarSource.resourceFieldRef": "A request or limit of the container.",
  "EnvVarSource.secretKeyRef": "A key of a Secret in the pod's namespace.",
  "EnvFromSource.configMapRef": "The ConfigMap to take the variables from.",
  "EnvFromSource.secretRef": "The Secret to take the variables from.",
  "HTTPGetAction.port": "The port's number, 1 to 65535, or its name.",
  "JobSpec.selector": "Which pods the job counts as its own. Normally it is set by the system.",
  "JobSpec.template": "The pod that is created when the job runs.",
  "Lifecycle.postStart":
    "Runs right after the container is created. If it fails, the container is stopped and restarted as its policy says.",
  "Lifecycle.preStop": "Runs before the container is stopped; the grace period counts from its start.",
  "NodeAffinity.requiredDuringSchedulingIgnoredDuringExecution": "The pod runs only on nodes that match this.",
  "NodeStatus.nodeInfo": "Identifiers and versions of the node.",
  "PodSpec.affinity": "The pod's scheduling constraints.",
  "PodSpec.dnsConfig": "DNS parameters, merged with what dnsPolicy gives.",
  "PodSpec.resources": "The compute resources of all containers together.",
  "PodSpec.securityContext": "Security options of the whole pod, and defaults of its containers.",
  "PodTemplateSpec.spec": `What the created pods are to be like. More info: ${conventions}#spec-and-status`,
  "Probe.exec": "A command to run in the container; it succeeds if its exit status is 0.",
  "Probe.grpc": "A call of the gRPC health service.",
  "Probe.httpGet": "An HTTP GET request; it succeeds if it answers 200 to 399.",
  "Probe.tcpSocket": "A TCP connection; it succeeds if the port is open.",
  "ProbeHandler.exec": "A command to run in the container; it succeeds if its exit status is 0.",
  "ProbeHandler.grpc": "A call of the gRPC health service.",
  "ProbeHandler.httpGet": "An HTTP GET request; it succeeds if it answers 200 to 399.",
  "ProbeHandler.tcpSocket": "A TCP connection; it succeeds if the port is open.",
  "ReplicaSetSpec.selector": "Which pods the replica set counts. It must match the labels of the template.",
  "ReplicaSetSpec.template": "The pod that is created where replicas are missing.",
  "RollingUpdateDeployment.maxSurge":
    "How many pods there may be above the wanted number during an update: a count or a percentage, which is rounded up. Not 0 if maxUnavailable is 0. Defaults to 25%.",
  "RollingUpdateDeployment.maxUnavailable":
    "How many pods may be missing during an update: a count or a percentage, which is rounded down. Not 0 if maxSurge is 0. Defaults to 25%.",
  "ServicePort.targetPort":
    "The port of the pods that traffic goes to: a number or the name of a container port. Defaults to the value of port.",
  "ServiceSpec.sessionAffinityConfig": "The parameters of the session affinity.",
  "ServiceStatus.loadBalancer": "The addresses of the load balancer, if there is one.",
  "StatefulSetSpec.persistentVolumeClaimRetentionPolicy": "What happens to claims when pods or the set go.",
  "StatefulSetSpec.ordinals": "How the replicas are numbered.",
  "StatefulSetSpec.selector": "Which pods the set counts. It must match the labels of the template.",
  "StatefulSetSpec.template": "The pod that is created for each ordinal, with its own name, host name and claims.",
  "StatefulSetSpec.updateStrategy": "How pods are replaced when the template changes.",
  "TCPSocketAction.port": "The port's number, 1 to 65535, or its name.",
  "TopologySpreadConstraint.labelSelector": "Which pods are counted.",
};

/** Returns the text of a field that refers to a type. The default is the type's text. */
export function fieldText(owner: string, field: string, type: string, describe: Describe): string | undefined {
  const local = owner.slice(owner.lastIndexOf(".") + 1);
  const fieldOwnText = texts[`${local}.${field}`];
  if (fieldOwnText) return fieldOwnText;
  if (field === "metadata" && type.endsWith(".ObjectMeta")) {
    return `Standard object's metadata. More info: ${conventions}#metadata`;
  }
  if (field === "metadata" && type.endsWith(".ListMeta")) {
    return `Standard list metadata. More info: ${conventions}#types-kinds`;
  }
  if (type === `${owner}Spec`) return `What ${local} is to be like. More info: ${conventions}#spec-and-status`;
  if (type === `${owner}Status`) {
    return `What ${local} was last seen to be like. Read-only. More info: ${conventions}#spec-and-status`;
  }
  return describe(type, "");
}
