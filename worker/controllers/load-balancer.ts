// The service controller with a simulated cloud: a Service of type LoadBalancer gets addresses of its own, until it goes.
import type { Node, Service } from "../../shared/k8s/api/core-v1.ts";
import { isBeingDeleted } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { services } from "../kinds/core/service/service.ts";
import type { Client } from "../registry/client.ts";
import { type ReconcileContext, type Request, defineController, requestOf, watch } from "../runtime/controller.ts";
import { freeBalancedAddress } from "./parts/balanced-addresses.ts";
import { balancerChange, needsBalancerUpdate, wantsBalancer } from "./parts/balancer-changes.ts";
import { hasFinalizer, withFinalizer, withoutFinalizer } from "./parts/finalizers.ts";

const loadBalancerFinalizer = "service.kubernetes.io/load-balancer-cleanup";
const excluded = "node.kubernetes.io/exclude-from-external-load-balancers";
const leaving = "ToBeDeletedByClusterAutoscaler";

/** What has happened since a Service was last looked at. Losing it costs events, not addresses. */
interface News {
  /** By uid, the Service as it was before it changed. */
  readonly before: Map<string, Service>;
  /** The uids of those that other nodes stand behind now. */
  readonly rehosted: Set<string>;
}

const newsOfClusters = new WeakMap<Client, News>();

export const loadBalancerController = defineController({
  name: "service-controller",
  component: "service-controller",
  watches: [
    watch<Service>(services, function* (next, previous, client) {
      const news = newsOf(client);
      const uid = (next ?? previous)?.metadata.uid ?? "";
      if (!next) {
        news.before.delete(uid);
        news.rehosted.delete(uid);
        return;
      }
      if (previous && needsBalancerUpdate(next, previous) && !news.before.has(uid)) news.before.set(uid, previous);
      if (wantsBalancer(next) || hasFinalizer(next, loadBalancerFinalizer)) yield requestOf(next);
    }),
    watch<Node>(nodes, function* (next, previous, client): Generator<Request> {
      if (isHost(next) === isHost(previous)) return;
      for (const service of client.each(services)) {
        if (!wantsBalancer(service) || addressesOf(service).length === 0) continue;
        newsOf(client).rehosted.add(service.metadata.uid ?? "");
        yield requestOf(service);
      }
    }),
  ],
  reconcile({ namespace, name }, context) {
    const service = context.client.get(services, namespace, name);
    if (!service) return undefined;
    if (wantsBalancer(service) && !isBeingDeleted(service)) ensure(service, context);
    else if (hasFinalizer(service, loadBalancerFinalizer)) cleanUp(service, context);
    return undefined;
  },
});

function newsOf(client: Client): News {
  const known = newsOfClusters.get(client) ?? { before: new Map<string, Service>(), rehosted: new Set<string>() };
  newsOfClusters.set(client, known);
  return known;
}

/** Upstream's `nodeReadyPredicate` and the like: whether traffic may come over a node. */
function isHost(node: Node | undefined): boolean {
  if (!node || node.metadata.labels?.[excluded] !== undefined) return false;
  return !node.spec.taints?.some(({ key }) => key === leaving);
}

function ensure(service: Service, context: ReconcileContext): void {
  const { client, event } = context;
  const news = newsOf(client);
  const { uid = "", name = "" } = service.metadata;
  const before = news.before.get(uid);
  const isRehosted = news.rehosted.has(uid);
  news.before.delete(uid);
  news.rehosted.delete(uid);
  const families = (service.spec.ipFamilies ?? ["IPv4"]).map((one) => (one === "IPv6" ? one : "IPv4"));
  const isEnsured = addressesOf(service).length >= families.length && hasFinalizer(service, loadBalancerFinalizer);
  if (isEnsured && !before) {
    if (isRehosted) event(service, "Normal", "UpdatedLoadBalancer", "Updated load balancer with new hosts");
    return;
  }
  const change = before && balancerChange(service, before);
  if (change) event(service, "Normal", change.reason, change.message);
  event(service, "Normal", "EnsuringLoadBalancer", "Ensuring load balancer");
  const held = hasFinalizer(service, loadBalancerFinalizer)
    ? service
    : client.update(services, { ...service, metadata: withFinalizer(service.metadata, loadBalancerFinalizer) });
  const ingress = families.flatMap((family) => {
    const ip = addressFor(held, family, client);
    return ip === undefined ? [] : [{ ip, ipMode: "VIP" as const }];
  });
  if (ingress.length < families.length) {
    const message = "failed to ensure load balancer: no address is free";
    event(held, "Warning", "SyncLoadBalancerFailed", `Error syncing load balancer: ${message}`);
    throw ApiError.conflict(services.groupResource, name, message);
  }
  if (!client.list(nodes).some(isHost)) {
    event(held, "Warning", "UnAvailableLoadBalancer", "There are no available nodes for LoadBalancer");
  }
  event(held, "Normal", "EnsuredLoadBalancer", "Ensured load balancer");
  client.updateStatus(services, { ...held, status: { ...held.status, loadBalancer: { ingress } } });
}

function cleanUp(service: Service, { client, event }: ReconcileContext): void {
  const uid = service.metadata.uid ?? "";
  const before = newsOf(client).before.get(uid);
  newsOf(client).before.delete(uid);
  const change = before && balancerChange(service, before);
  if (change) event(service, "Normal", change.reason, change.message);
  event(service, "Normal", "DeletingLoadBalancer", "Deleting load balancer");
  // The status first: without its finalizer the Service may be gone.
  const freed = client.updateStatus(services, { ...service, status: { ...service.status, loadBalancer: {} } });
  client.update(services, { ...freed, metadata: withoutFinalizer(freed.metadata, loadBalancerFinalizer) });
  event(service, "Normal", "DeletedLoadBalancer", "Deleted load balancer");
}

function addressesOf({ status }: Service): string[] {
  return (status.loadBalancer.ingress ?? []).flatMap(({ ip }) => (ip ? [ip] : []));
}

/** The one that it has, that was asked for, or the first that no Service has. */
function addressFor(service: Service, family: "IPv4" | "IPv6", client: Client): string | undefined {
  const isOf = (ip: string) => ip.includes(":") === (family === "IPv6");
  const own = addressesOf(service).find(isOf);
  const asked = service.spec.loadBalancerIP;
  const wantsOther = asked !== undefined && isOf(asked) && asked !== own;
  if (own !== undefined && !wantsOther) return own;
  const others = client.list(services).filter(({ metadata }) => metadata.uid !== service.metadata.uid);
  const taken = new Set(others.flatMap(addressesOf));
  if (wantsOther && !taken.has(asked)) return asked;
  return own ?? freeBalancedAddress(family, taken);
}
