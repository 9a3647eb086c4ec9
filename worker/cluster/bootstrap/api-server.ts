// The service `default/kubernetes`, by which pods find the API server, with its endpoints.
import { apiServiceAddress, type ClusterNetwork } from "../../../shared/k8s/settings/cluster-network.ts";
import { endpointSlices } from "../../kinds/discovery/endpoint-slice.ts";
import { endpoints } from "../../kinds/core/endpoints.ts";
import { services } from "../../kinds/core/service/service.ts";
import { machineAddress } from "../../machine/machine.ts";
import { type Seed, seed } from "./seed.ts";

export interface ApiServerAddress {
  readonly ip: string;
  readonly port: number;
}

/** The control plane is on `node-1`. */
const defaultAddress: ApiServerAddress = { ip: machineAddress(1), port: 6443 };

const metadata = { name: "kubernetes", namespace: "default" } as const;

export function apiServer(network: ClusterNetwork, { ip, port }: ApiServerAddress = defaultAddress): Seed[] {
  return [
    seed(services, {
      metadata: { ...metadata, labels: { component: "apiserver", provider: "kubernetes" } },
      spec: {
        ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: port }],
        clusterIP: apiServiceAddress(network),
        type: "ClusterIP",
        sessionAffinity: "None",
        ipFamilyPolicy: "SingleStack",
      },
    }),
    seed(endpoints, {
      metadata: { ...metadata, labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
      subsets: [{ addresses: [{ ip }], ports: [{ name: "https", port, protocol: "TCP" }] }],
    }),
    seed(endpointSlices, {
      metadata: { ...metadata, labels: { "kubernetes.io/service-name": metadata.name } },
      addressType: "IPv4",
      endpoints: [{ addresses: [ip], conditions: { ready: true } }],
      ports: [{ name: "https", port, protocol: "TCP" }],
    }),
  ];
}
