// Every kind that is served, in the order of discovery.
import { configMaps } from "./config-maps.ts";
import { deployments } from "./deployments.ts";
import { endpointSlices } from "./endpoint-slices.ts";
import { endpoints } from "./endpoints.ts";
import { eventsV1 } from "./events-v1.ts";
import { events } from "./events.ts";
import type { Kind } from "./kind.ts";
import { leases } from "./leases.ts";
import { namespaces } from "./namespaces.ts";
import { nodes } from "./nodes.ts";
import { pods } from "./pods.ts";
import { priorityClasses } from "./priority-classes.ts";
import { replicaSets } from "./replica-sets.ts";
import { secrets } from "./secrets.ts";
import { serviceAccounts } from "./service-accounts.ts";
import { services } from "./services.ts";

export const kinds: readonly Kind[] = [
  configMaps,
  endpoints,
  events,
  namespaces,
  nodes,
  pods,
  secrets,
  serviceAccounts,
  services,
  deployments,
  replicaSets,
  leases,
  endpointSlices,
  eventsV1,
  priorityClasses,
];
