// The description of a node.
import {
  type Quantity,
  addQuantities,
  formatQuantity,
  quantityMilliValue,
  quantityValue,
  zeroQuantity,
} from "../../../shared/k8s/quantity.ts";
import { age } from "../../../shared/k8s/time.ts";
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import { asError } from "../errors.ts";
import { listAt, metadataOf, nameOf, namespaceOf, objectAt, stringAt, stringsAt, textOf } from "../object.ts";
import { amount } from "./amount.ts";
import { podAmounts } from "./pod-amounts.ts";
import { type Asking, type Describer, created, eventsOf, listAll, writeEvents } from "./describer.ts";
import { type Description, longTime } from "./writer.ts";

const rolePrefix = "node-role.kubernetes.io/";

export const describeNode: Describer = async (object, into, asking) => {
  const [spec, status] = [objectAt(object, "spec"), objectAt(object, "status")];
  into.line(0, `Name:\t${nameOf(object)}`);
  into.line(0, `Roles:\t${rolesOf(object).join(",") || "<none>"}`);
  into.labels("Labels", stringsAt(object, "metadata", "labels"));
  into.annotations("Annotations", stringsAt(object, "metadata", "annotations"));
  into.line(0, created(object));
  into.taints("Taints", listAt(spec, "taints"));
  into.line(0, `Unschedulable:\t${spec.unschedulable === true}`);
  await describeLease(nameOf(object), into, asking);
  describeConditions(status, into);
  into.line(0, "Addresses:");
  for (const { type, address } of listAt(status, "addresses")) into.line(1, `${textOf(type)}:\t${textOf(address)}`);
  for (const [label, field] of [
    ["Capacity", "capacity"],
    ["Allocatable", "allocatable"],
  ] as const) {
    const amounts = stringsAt(status, field);
    if (Object.keys(amounts).length > 0) into.line(0, `${label}:`);
    for (const name of Object.keys(amounts).sort()) into.line(1, `${name}:\t${amount(amounts[name])}`);
  }
  describeSystem(status, into);
  if (spec.podCIDR) into.line(0, `PodCIDR:\t${textOf(spec.podCIDR)}`);
  if (Array.isArray(spec.podCIDRs) && spec.podCIDRs.length > 0) into.line(0, `PodCIDRs:\t${spec.podCIDRs.join(",")}`);
  if (spec.providerID) into.line(0, `ProviderID:\t${textOf(spec.providerID)}`);
  await describePods(object, into, asking);
  if (!asking.showsEvents) return;
  const reference = { name: nameOf(object), namespace: "", kind: "Node" };
  const events = await Promise.all([
    eventsOf({ ...reference, uid: stringAt(object, "metadata", "uid") }, asking),
    eventsOf({ ...reference, uid: nameOf(object) }, asking),
  ]).catch(() => undefined);
  if (events) writeEvents(events.flat(), into, asking.call.surroundings.clock.nowMs());
};

function rolesOf(node: JsonObject): string[] {
  const labels = stringsAt(node, "metadata", "labels");
  const roles = Object.entries(labels).flatMap(([key, value]) => {
    if (key.startsWith(rolePrefix)) return [key.slice(rolePrefix.length)];
    return key === "kubernetes.io/role" ? [value] : [];
  });
  return [...new Set(roles.filter(Boolean))].sort();
}

async function describeLease(name: string, into: Description, { call }: Asking): Promise<void> {
  try {
    const lease = await call.cluster.json(`/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${name}`);
    const { holderIdentity, acquireTime, renewTime } = objectAt(lease, "spec");
    into.line(0, "Lease:");
    into.line(1, `HolderIdentity:\t${textOf(holderIdentity) || "<unset>"}`);
    into.line(1, `AcquireTime:\t${acquireTime ? longTime(acquireTime) : "<unset>"}`);
    into.line(1, `RenewTime:\t${renewTime ? longTime(renewTime) : "<unset>"}`);
  } catch (error) {
    into.line(0, `Lease:\tFailed to get lease: ${asError(error).message}`);
  }
}

function describeConditions(status: JsonObject, into: Description): void {
  const conditions = listAt(status, "conditions");
  if (conditions.length === 0) return;
  into.line(0, "Conditions:");
  into.line(1, "Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage");
  into.line(1, "----\t------\t-----------------\t------------------\t------\t-------");
  for (const condition of conditions) {
    into.line(
      1,
      `${textOf(condition.type)} \t${textOf(condition.status)} \t${longTime(condition.lastHeartbeatTime)} \t${longTime(condition.lastTransitionTime)} \t${textOf(condition.reason)} \t${textOf(condition.message)}`,
    );
  }
}

function describeSystem(status: JsonObject, into: Description): void {
  const info = objectAt(status, "nodeInfo");
  into.line(0, "System Info:");
  const fields = [
    ["Machine ID", "machineID"],
    ["System UUID", "systemUUID"],
    ["Boot ID", "bootID"],
    ["Kernel Version", "kernelVersion"],
    ["OS Image", "osImage"],
    ["Operating System", "operatingSystem"],
    ["Architecture", "architecture"],
    ["Container Runtime Version", "containerRuntimeVersion"],
    ["Kubelet Version", "kubeletVersion"],
  ] as const;
  for (const [label, field] of fields) into.line(1, `${label}:\t${textOf(info[field])}`);
}

type Amounts = Map<string, Quantity>;

async function describePods(node: JsonObject, into: Description, { call, chunk }: Asking): Promise<void> {
  const fieldSelector = `spec.nodeName=${nameOf(node)},status.phase!=Succeeded,status.phase!=Failed`;
  let pods: JsonObject[];
  try {
    pods = await listAll(call, "/api/v1/pods", { fieldSelector, limit: String(chunk) });
  } catch {
    return into.line(0, "Pods:\tnot authorized");
  }
  const allocatable = { ...stringsAt(node, "status", "capacity"), ...stringsAt(node, "status", "allocatable") };
  into.line(0, `Non-terminated Pods:\t(${pods.length} in total)`);
  into.line(1, "Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge");
  into.line(1, "---------\t----\t\t------------\t----------\t---------------\t-------------\t---");
  const totals: { requests: Amounts; limits: Amounts } = { requests: new Map(), limits: new Map() };
  for (const pod of pods) {
    const amounts = { requests: podAmounts(pod, "requests"), limits: podAmounts(pod, "limits") };
    for (const form of ["requests", "limits"] as const) {
      for (const [name, quantity] of amounts[form])
        totals[form].set(name, addQuantities(totals[form].get(name) ?? zeroQuantity, quantity));
    }
    const cells = (["cpu", "memory"] as const).flatMap((name) =>
      (["requests", "limits"] as const).map((form) => share(amounts[form].get(name), name, allocatable[name])),
    );
    const created = age(textOf(metadataOf(pod).creationTimestamp), call.surroundings.clock.nowMs());
    into.line(1, `${namespaceOf(pod)}\t${nameOf(pod)}\t\t${cells.join("\t")}\t${created}`);
  }
  into.line(0, "Allocated resources:");
  into.line(1, "(Total limits may be over 100 percent, i.e., overcommitted.)");
  into.line(1, "Resource\tRequests\tLimits");
  into.line(1, "--------\t--------\t------");
  const standard = ["cpu", "memory", "ephemeral-storage"];
  const huge = Object.keys(allocatable)
    .filter((name) => name.startsWith("hugepages-"))
    .sort();
  for (const name of [...standard, ...huge]) {
    into.line(
      1,
      `${name}\t${share(totals.requests.get(name), name, allocatable[name])}\t${share(totals.limits.get(name), name, allocatable[name])}`,
    );
  }
  const extended = Object.keys(allocatable)
    .filter((name) => !standard.includes(name) && !huge.includes(name) && name !== "pods" && name.includes("/"))
    .sort();
  for (const name of extended) {
    into.line(
      1,
      `${name}\t${formatQuantity(totals.requests.get(name) ?? zeroQuantity)}\t${formatQuantity(totals.limits.get(name) ?? zeroQuantity)}`,
    );
  }
}

/** Formats an amount with its percentage: `100m (5%)`. */
function share(quantity: Quantity = zeroQuantity, name: string, of = "0"): string {
  const measure = name === "cpu" ? quantityMilliValue : quantityValue;
  const text = formatQuantity(quantity);
  const capacity = measure(of);
  return `${text} (${capacity === 0 ? 0 : Math.trunc((measure(text) / capacity) * 100)}%)`;
}
