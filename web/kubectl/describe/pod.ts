// The description of a pod.
import { age } from "../../../shared/k8s/time.ts";
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import { listAt, metadataOf, nameOf, namespaceOf, numberAt, objectAt, stringAt, stringsAt, textOf } from "../object.ts";
import { describeContainers, describeResources, podFields } from "./containers.ts";
import { controlledBy, type Describer, describeEvents } from "./describer.ts";
import { describeSpread } from "./pod-template.ts";
import { describeVolumes } from "./volumes.ts";
import { type Description, longTime } from "./writer.ts";

const mirror = "kubernetes.io/config.mirror";

export const describePod: Describer = async (pod, into, asking) => {
  const [spec, status] = [objectAt(pod, "spec"), objectAt(pod, "status")];
  describeHead(pod, into, asking.call.surroundings.clock.nowMs());
  const fields = podFields(pod);
  const named = (label: string, containers: string, statuses: string) => {
    if (listAt(spec, containers).length > 0)
      describeContainers(label, listAt(spec, containers), listAt(status, statuses), fields, into);
  };
  named("Init Containers", "initContainers", "initContainerStatuses");
  describeContainers("Containers", listAt(spec, "containers"), listAt(status, "containerStatuses"), fields, into);
  named("Ephemeral Containers", "ephemeralContainers", "ephemeralContainerStatuses");
  describeConditions(pod, into);
  describeVolumes(listAt(spec, "volumes"), into, "");
  into.line(0, `QoS Class:\t${stringAt(status, "qosClass")}`);
  into.labels("Node-Selectors", stringsAt(spec, "nodeSelector"));
  into.tolerations("Tolerations", listAt(spec, "tolerations"));
  describeSpread(listAt(spec, "topologySpreadConstraints"), into, "");
  const uid = stringsAt(pod, "metadata", "annotations")[mirror] ?? stringAt(pod, "metadata", "uid");
  await describeEvents(pod, into, asking, { name: nameOf(pod), namespace: namespaceOf(pod), uid });
};

function describeHead(pod: JsonObject, into: Description, nowMs: number): void {
  const [spec, status] = [objectAt(pod, "spec"), objectAt(pod, "status")];
  const optional = (label: string, value: unknown) => {
    if (textOf(value)) into.line(0, `${label}:\t${textOf(value)}`);
  };
  into.line(0, `Name:\t${nameOf(pod)}`);
  into.line(0, `Namespace:\t${namespaceOf(pod)}`);
  if (numberAt(spec, "priority") !== undefined) into.line(0, `Priority:\t${numberAt(spec, "priority") ?? 0}`);
  optional("Priority Class Name", spec.priorityClassName);
  optional("Runtime Class Name", spec.runtimeClassName);
  optional("Service Account", spec.serviceAccountName);
  into.line(0, `Node:\t${textOf(spec.nodeName) ? `${textOf(spec.nodeName)}/${textOf(status.hostIP)}` : "<none>"}`);
  if (status.startTime) into.line(0, `Start Time:\t${longTime(status.startTime)}`);
  into.labels("Labels", stringsAt(pod, "metadata", "labels"));
  into.annotations("Annotations", stringsAt(pod, "metadata", "annotations"));
  const deleted = textOf(metadataOf(pod).deletionTimestamp);
  if (deleted && status.phase !== "Failed" && status.phase !== "Succeeded") {
    into.line(0, `Status:\tTerminating (lasts ${age(deleted, nowMs)})`);
    into.line(0, `Termination Grace Period:\t${numberAt(pod, "metadata", "deletionGracePeriodSeconds") ?? 0}s`);
  } else into.line(0, `Status:\t${textOf(status.phase)}`);
  optional("Reason", status.reason);
  optional("Message", status.message);
  const profile = objectAt(spec, "securityContext").seccompProfile;
  if (isObject(profile)) {
    into.line(0, `SeccompProfile:\t${textOf(profile.type)}`);
    if (profile.type === "Localhost") into.line(0, `LocalhostProfile:\t${textOf(profile.localhostProfile)}`);
  }
  into.line(0, `IP:\t${textOf(status.podIP)}`);
  const addresses = listAt(status, "podIPs");
  into.line(0, addresses.length === 0 ? "IPs:\t<none>" : "IPs:");
  for (const { ip } of addresses) into.line(1, `IP:\t${textOf(ip)}`);
  controlledBy(pod, into);
  optional("NominatedNodeName", status.nominatedNodeName);
  if (isObject(spec.resources)) {
    into.line(0, "Resources:");
    describeResources(spec.resources, into, 1);
  }
}

function describeConditions(pod: JsonObject, into: Description): void {
  const conditions = listAt(pod, "status", "conditions");
  const gates = listAt(pod, "spec", "readinessGates");
  if (gates.length > 0) {
    into.line(0, "Readiness Gates:");
    into.line(1, "Type\tStatus");
    for (const { conditionType } of gates) {
      const condition = conditions.find(({ type }) => type === conditionType);
      into.line(1, `${textOf(conditionType)} \t${condition ? textOf(condition.status) : "<none>"} `);
    }
  }
  if (conditions.length === 0) return;
  into.line(0, "Conditions:");
  into.line(1, "Type\tStatus");
  for (const { type, status } of conditions) into.line(1, `${textOf(type)} \t${textOf(status)} `);
}
