// An ingress controller, as its project installs it: the default class `nginx`, a Deployment that serves it and a load balancer.
//
// They say that Helm made them, so that a chart of the project takes them over where a user installs it.
import { deployments } from "../../../kinds/apps/deployment.ts";
import { configMaps } from "../../../kinds/core/config-map.ts";
import { namespaces } from "../../../kinds/core/namespace.ts";
import { serviceAccounts } from "../../../kinds/core/service-account.ts";
import { services } from "../../../kinds/core/service/service.ts";
import { ingressClasses } from "../../../kinds/networking/ingress-class.ts";
import { ingressAddress } from "../../../kinds/networking/served-class.ts";
import { clusterRoleBindings } from "../../../kinds/rbac/cluster-role-binding.ts";
import { clusterRoles } from "../../../kinds/rbac/cluster-role.ts";
import { type Seed, seed } from "../seed.ts";

const release = "ingress-nginx";
const namespace = release;
const controller = "ingress-nginx-controller";
const version = "1.13.0";
const apiGroup = "rbac.authorization.k8s.io";
const selected = {
  "app.kubernetes.io/component": "controller",
  "app.kubernetes.io/instance": release,
  "app.kubernetes.io/name": release,
} as const;
const labels = {
  ...selected,
  "app.kubernetes.io/managed-by": "Helm",
  "app.kubernetes.io/part-of": release,
  "app.kubernetes.io/version": version,
} as const;
const annotations = { "meta.helm.sh/release-name": release, "meta.helm.sh/release-namespace": namespace } as const;

export function ingressNginx(): Seed[] {
  return [
    seed(namespaces, { metadata: { name: namespace, labels: { "app.kubernetes.io/name": release } } }),
    seed(serviceAccounts, { metadata: { name: release, namespace, labels, annotations } }),
    ...access(),
    seed(configMaps, { metadata: { name: controller, namespace, labels, annotations } }),
    service(),
    deployment(),
    seed(ingressClasses, {
      metadata: {
        name: "nginx",
        labels,
        annotations: { ...annotations, "ingressclass.kubernetes.io/is-default-class": "true" },
      },
      spec: { controller: "k8s.io/ingress-nginx" },
    }),
  ];
}

function access(): Seed[] {
  const verbs = ["get", "list", "watch"];
  return [
    seed(clusterRoles, {
      metadata: { name: release, labels, annotations },
      rules: [
        { apiGroups: [""], resources: ["configmaps", "endpoints", "nodes", "pods", "secrets", "services"], verbs },
        { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs },
        { apiGroups: ["networking.k8s.io"], resources: ["ingresses", "ingressclasses"], verbs },
        { apiGroups: ["networking.k8s.io"], resources: ["ingresses/status"], verbs: ["update"] },
        { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
      ],
    }),
    seed(clusterRoleBindings, {
      metadata: { name: release, labels, annotations },
      roleRef: { apiGroup, kind: "ClusterRole", name: release },
      subjects: [{ kind: "ServiceAccount", name: release, namespace }],
    }),
  ];
}

function service(): Seed {
  return seed(services, {
    metadata: { name: controller, namespace, labels, annotations },
    spec: {
      type: "LoadBalancer",
      loadBalancerIP: ingressAddress,
      ports: [
        { appProtocol: "http", name: "http", port: 80, protocol: "TCP", targetPort: "http", nodePort: 31_845 },
        { appProtocol: "https", name: "https", port: 443, protocol: "TCP", targetPort: "https", nodePort: 32_614 },
      ],
      selector: selected,
    },
  });
}

function deployment(): Seed {
  return seed(deployments, {
    metadata: { name: controller, namespace, labels, annotations },
    spec: {
      selector: { matchLabels: selected },
      template: {
        metadata: { labels },
        spec: {
          containers: [container],
          dnsPolicy: "ClusterFirst",
          nodeSelector: { "kubernetes.io/os": "linux" },
          serviceAccountName: release,
          terminationGracePeriodSeconds: 300,
        },
      },
    },
  });
}

const health = { httpGet: { path: "/healthz", port: 10_254, scheme: "HTTP" }, periodSeconds: 10 } as const;

const container = {
  name: "controller",
  image: `registry.k8s.io/ingress-nginx/controller:v${version}`,
  imagePullPolicy: "IfNotPresent",
  args: [
    "/nginx-ingress-controller",
    `--publish-service=$(POD_NAMESPACE)/${controller}`,
    "--election-id=ingress-nginx-leader",
    "--controller-class=k8s.io/ingress-nginx",
    "--ingress-class=nginx",
    `--configmap=$(POD_NAMESPACE)/${controller}`,
  ],
  env: [
    { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    { name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
  ],
  ports: [
    { containerPort: 80, name: "http", protocol: "TCP" },
    { containerPort: 443, name: "https", protocol: "TCP" },
  ],
  livenessProbe: { ...health, failureThreshold: 5, initialDelaySeconds: 10 },
  readinessProbe: { ...health, failureThreshold: 3, initialDelaySeconds: 10 },
  resources: { requests: { cpu: "100m", memory: "90Mi" } },
  securityContext: {
    allowPrivilegeEscalation: false,
    capabilities: { add: ["NET_BIND_SERVICE"], drop: ["ALL"] },
    readOnlyRootFilesystem: false,
    runAsGroup: 82,
    runAsNonRoot: true,
    runAsUser: 101,
    seccompProfile: { type: "RuntimeDefault" },
  },
} as const;
