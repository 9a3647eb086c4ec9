// CoreDNS as kubeadm installs it: a Deployment in kube-system, its configuration, its account and its service.
import { type ClusterNetwork, dnsServiceAddress } from "../../../shared/k8s/settings/cluster-network.ts";
import type { Release } from "../../../shared/k8s/settings/release.ts";
import type { Client } from "../../registry/client.ts";
import { clusterRoleBindings } from "../../kinds/rbac/cluster-role-binding.ts";
import { clusterRoles } from "../../kinds/rbac/cluster-role.ts";
import { configMaps } from "../../kinds/core/config-map.ts";
import { deployments } from "../../kinds/apps/deployment.ts";
import { serviceAccounts } from "../../kinds/core/service-account.ts";
import { services } from "../../kinds/core/service/service.ts";
import { type Seed, seed } from "./seed.ts";

const namespace = "kube-system";
const labels = { "k8s-app": "kube-dns" } as const;
/** The repository of the image. */
export const coreDnsImage = "registry.k8s.io/coredns/coredns";

const corefile = `.:53 {
    errors
    health {
       lameduck 5s
    }
    ready
    kubernetes cluster.local in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }
    prometheus :9153
    forward . /etc/resolv.conf {
       max_concurrent 1000
    }
    cache 30 {
       disable success cluster.local
       disable denial cluster.local
    }
    loop
    reload
    loadbalance
}
`;

export function coreDns({ network, release }: Pick<Client, "network" | "release">): Seed[] {
  return [
    seed(serviceAccounts, { metadata: { name: "coredns", namespace } }),
    seed(configMaps, { metadata: { name: "coredns", namespace }, data: { Corefile: corefile } }),
    ...access(),
    service(network),
    deployment(release),
  ];
}

/** Returns the access of CoreDNS to the resources that it watches. */
function access(): Seed[] {
  const metadata = { name: "system:coredns" };
  const verbs = ["list", "watch"];
  return [
    seed(clusterRoles, {
      metadata,
      rules: [
        { apiGroups: [""], resources: ["endpoints", "services", "pods", "namespaces"], verbs },
        { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs },
      ],
    }),
    seed(clusterRoleBindings, {
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: metadata.name },
      subjects: [{ kind: "ServiceAccount", name: "coredns", namespace }],
    }),
  ];
}

function service(network: ClusterNetwork): Seed {
  return seed(services, {
    metadata: {
      name: "kube-dns",
      namespace,
      annotations: { "prometheus.io/port": "9153", "prometheus.io/scrape": "true" },
      labels: { ...labels, "kubernetes.io/cluster-service": "true", "kubernetes.io/name": "CoreDNS" },
    },
    spec: {
      clusterIP: dnsServiceAddress(network),
      ports: [
        { name: "dns", port: 53, protocol: "UDP", targetPort: 53 },
        { name: "dns-tcp", port: 53, protocol: "TCP", targetPort: 53 },
        { name: "metrics", port: 9153, protocol: "TCP", targetPort: 9153 },
      ],
      selector: labels,
    },
  });
}

function deployment({ coreDns: tag }: Release): Seed {
  return seed(deployments, {
    metadata: { name: "coredns", namespace, labels },
    spec: {
      replicas: 2,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1 } },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          priorityClassName: "system-cluster-critical",
          serviceAccountName: "coredns",
          affinity: { podAntiAffinity: apart },
          tolerations: [
            { key: "CriticalAddonsOnly", operator: "Exists" },
            { key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" },
          ],
          nodeSelector: { "kubernetes.io/os": "linux" },
          containers: [{ ...container, image: `${coreDnsImage}:${tag}` }],
          dnsPolicy: "Default",
          volumes: [
            { name: "config-volume", configMap: { name: "coredns", items: [{ key: "Corefile", path: "Corefile" }] } },
          ],
        },
      },
    },
  });
}

const apart = {
  preferredDuringSchedulingIgnoredDuringExecution: [
    {
      weight: 100,
      podAffinityTerm: {
        labelSelector: { matchExpressions: [{ key: "k8s-app", operator: "In", values: ["kube-dns"] }] },
        topologyKey: "kubernetes.io/hostname",
      },
    },
  ],
};

const container = {
  name: "coredns",
  image: coreDnsImage,
  imagePullPolicy: "IfNotPresent",
  resources: { limits: { memory: "170Mi" }, requests: { cpu: "100m", memory: "70Mi" } },
  args: ["-conf", "/etc/coredns/Corefile"],
  volumeMounts: [{ name: "config-volume", mountPath: "/etc/coredns", readOnly: true }],
  ports: [
    { containerPort: 53, name: "dns", protocol: "UDP" },
    { containerPort: 53, name: "dns-tcp", protocol: "TCP" },
    { containerPort: 9153, name: "metrics", protocol: "TCP" },
    { containerPort: 8080, name: "liveness-probe", protocol: "TCP" },
    { containerPort: 8181, name: "readiness-probe", protocol: "TCP" },
  ],
  livenessProbe: {
    httpGet: { path: "/health", port: "liveness-probe", scheme: "HTTP" },
    initialDelaySeconds: 60,
    timeoutSeconds: 5,
    successThreshold: 1,
    failureThreshold: 5,
  },
  readinessProbe: { httpGet: { path: "/ready", port: "readiness-probe", scheme: "HTTP" } },
  securityContext: {
    allowPrivilegeEscalation: false,
    capabilities: { add: ["NET_BIND_SERVICE"], drop: ["ALL"] },
    readOnlyRootFilesystem: true,
  },
} as const;
