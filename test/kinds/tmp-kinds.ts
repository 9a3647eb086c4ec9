// Every kind that is served, in the order of discovery.
import { configMaps } from "../../worker/kinds/config-maps.ts";
import { endpointSlices } from "../../worker/kinds/endpoint-slices.ts";
import { endpoints } from "../../worker/kinds/endpoints.ts";
import { eventsV1 } from "../../worker/kinds/events-v1.ts";
import { events } from "../../worker/kinds/events.ts";
import type { Kind } from "../../worker/kinds/kind.ts";
import { leases } from "../../worker/kinds/leases.ts";
import { namespaces } from "../../worker/kinds/namespaces.ts";
import { secrets } from "../../worker/kinds/secrets.ts";
import { serviceAccounts } from "../../worker/kinds/service-accounts.ts";
import { services } from "../../worker/kinds/services.ts";

export const kinds: readonly Kind[] = [
  configMaps,
  endpoints,
  events,
  namespaces,
  secrets,
  serviceAccounts,
  services,
  leases,
  endpointSlices,
  eventsV1,
];
