// Invariants of addresses, Services and endpoints in an idle cluster.
import { parseIpv4Range, parseIpv4 } from "../../../shared/k8s/ip.ts";
import type { Pod, Service } from "../../../shared/k8s/api/core-v1.ts";
import { called, hasAll, isReady, type View } from "./view.ts";

export function* addressProblems({ pods, services, nodes }: View): Generator<string> {
  const runningPods = pods.filter(({ status }) => status.phase === "Running" && status.podIP !== undefined);
  yield* repeated(
    "pod IP",
    runningPods.map(({ status }) => status.podIP ?? ""),
  );
  const clusterIps = services.map(({ spec }) => spec.clusterIP ?? "").filter((ip) => ip !== "" && ip !== "None");
  yield* repeated("cluster IP", clusterIps);
  yield* repeated(
    "node port",
    services.flatMap(({ spec }) => spec.ports ?? []).flatMap(({ nodePort }) => (nodePort ? [String(nodePort)] : [])),
  );
  yield* repeated(
    "range of pods",
    nodes.map(({ spec }) => spec.podCIDR ?? ""),
  );
  for (const pod of runningPods) {
    const range = parseIpv4Range(nodes.find(({ metadata }) => metadata.name === pod.spec.nodeName)?.spec.podCIDR ?? "");
    const ip = parseIpv4(pod.status.podIP ?? "") ?? 0;
    if (!range || ip < range.first || ip >= range.first + range.size)
      yield `${called(pod)}: ${String(pod.status.podIP)} is not of its node`;
  }
}

function* repeated(label: string, values: readonly string[]): Generator<string> {
  for (const value of new Set(values)) {
    const count = values.filter((item) => item === value).length;
    if (count > 1) yield `${label} ${value} is given ${count} times`;
  }
}

/** Endpoints and slices name exactly the pods that the service selects. */
export function* endpointProblems(view: View): Generator<string> {
  for (const service of view.services) {
    const { selector = {} } = service.spec;
    if (Object.keys(selector).length === 0) continue;
    const expected = behind(service, view.pods);
    const label = called(service);
    const same = ({ metadata }: Service) => metadata.namespace === service.metadata.namespace;
    const subsets = view.endpoints
      .filter((endpoint) => same(endpoint as never) && endpoint.metadata.name === service.metadata.name)
      .flatMap(({ subsets: all = [] }) => all);
    yield* different(
      `${label}: addresses`,
      subsets.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip)),
      expected.ready,
    );
    yield* different(
      `${label}: addresses that are not ready`,
      subsets.flatMap(({ notReadyAddresses = [] }) => notReadyAddresses.map(({ ip }) => ip)),
      expected.notReady,
    );
    const slices = view.slices.filter(
      (slice) =>
        same(slice as never) && slice.metadata.labels?.["kubernetes.io/service-name"] === service.metadata.name,
    );
    const sliced = slices.flatMap(({ endpoints = [] }) => endpoints ?? []);
    yield* different(
      `${label}: ready endpoints`,
      sliced.filter(({ conditions }) => conditions?.ready).flatMap(({ addresses }) => addresses),
      expected.ready,
    );
    yield* different(
      `${label}: endpoints`,
      sliced.flatMap(({ addresses }) => addresses),
      [...expected.ready, ...expected.notReady],
    );
  }
  yield* ownerless(view);
}

/** Finds Endpoints and slices without a Service. */
function* ownerless({ endpoints, slices, services }: View): Generator<string> {
  const serviceNames = new Set(services.map(({ metadata }) => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`));
  for (const endpoint of endpoints)
    if (!serviceNames.has(`${endpoint.metadata.namespace ?? ""}/${endpoint.metadata.name ?? ""}`))
      yield `${called(endpoint)} has no service`;
  for (const slice of slices) {
    const name = slice.metadata.labels?.["kubernetes.io/service-name"] ?? "";
    if (!serviceNames.has(`${slice.metadata.namespace ?? ""}/${name}`)) yield `${called(slice)} has no service`;
  }
}

function behind(service: Service, pods: readonly Pod[]) {
  const chosen = pods.filter(
    ({ metadata, status }) =>
      metadata.namespace === service.metadata.namespace &&
      hasAll(metadata.labels, service.spec.selector ?? {}) &&
      status.podIP !== undefined &&
      status.phase !== "Succeeded" &&
      status.phase !== "Failed",
  );
  const counts = (pod: Pod) => isReady(pod) || service.spec.publishNotReadyAddresses === true;
  const ips = (some: readonly Pod[]) => some.map(({ status }) => status.podIP ?? "");
  return { ready: ips(chosen.filter(counts)), notReady: ips(chosen.filter((pod) => !counts(pod))) };
}

function* different(label: string, actual: readonly string[], expected: readonly string[]): Generator<string> {
  const [left, right] = [[...actual].sort().join(), [...expected].sort().join()];
  if (left !== right) yield `${label} are ${left}, not ${right}`;
}
