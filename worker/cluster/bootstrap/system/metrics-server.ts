// The metrics server as its project publishes it: a Deployment with its Service, account and rights. What it tells the API tells itself.
import { deployments } from "../../../kinds/apps/deployment.ts";
import { serviceAccounts } from "../../../kinds/core/service-account.ts";
import { services } from "../../../kinds/core/service/service.ts";
import { clusterRoleBindings } from "../../../kinds/rbac/cluster-role-binding.ts";
import { clusterRoles } from "../../../kinds/rbac/cluster-role.ts";
import { roleBindings } from "../../../kinds/rbac/role-binding.ts";
import { type Seed, seed } from "../seed.ts";

const name = "metrics-server";
const namespace = "kube-system";
const apiGroup = "rbac.authorization.k8s.io";
const labels = { "k8s-app": name } as const;
const subjects = [{ kind: "ServiceAccount", name, namespace }];

export function metricsServer(): Seed[] {
  return [seed(serviceAccounts, { metadata: { name, namespace, labels } }), ...access(), service(), deployment()];
}

function access(): Seed[] {
  const binding = (name: string, role: string) =>
    seed(clusterRoleBindings, {
      metadata: { name: name, labels },
      roleRef: { apiGroup, kind: "ClusterRole", name: role },
      subjects,
    });
  return [
    seed(clusterRoles, {
      metadata: { name: "system:metrics-server", labels },
      rules: [
        { apiGroups: [""], resources: ["nodes/metrics"], verbs: ["get"] },
        { apiGroups: [""], resources: ["pods", "nodes"], verbs: ["get", "list", "watch"] },
      ],
    }),
    seed(roleBindings, {
      metadata: { name: "metrics-server-auth-reader", namespace, labels },
      roleRef: { apiGroup, kind: "Role", name: "extension-apiserver-authentication-reader" },
      subjects,
    }),
    binding("metrics-server:system:auth-delegator", "system:auth-delegator"),
    binding("system:metrics-server", "system:metrics-server"),
  ];
}

function service(): Seed {
  return seed(services, {
    metadata: { name, namespace, labels },
    spec: {
      ports: [{ appProtocol: "https", name: "https", port: 443, protocol: "TCP", targetPort: "https" }],
      selector: labels,
    },
  });
}

function deployment(): Seed {
  return seed(deployments, {
    metadata: { name, namespace, labels },
    spec: {
      selector: { matchLabels: labels },
      strategy: { rollingUpdate: { maxUnavailable: 0 } },
      template: {
        metadata: { labels },
        spec: {
          containers: [container],
          nodeSelector: { "kubernetes.io/os": "linux" },
          priorityClassName: "system-cluster-critical",
          serviceAccountName: name,
          volumes: [{ name: "tmp-dir", emptyDir: {} }],
        },
      },
    },
  });
}

const container = {
  name,
  image: "registry.k8s.io/metrics-server/metrics-server:v0.8.0",
  imagePullPolicy: "IfNotPresent",
  args: [
    "--cert-dir=/tmp",
    "--secure-port=10250",
    "--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname",
    "--kubelet-use-node-status-port",
    "--kubelet-insecure-tls",
    "--metric-resolution=15s",
  ],
  ports: [{ containerPort: 10250, name: "https", protocol: "TCP" }],
  livenessProbe: {
    failureThreshold: 3,
    httpGet: { path: "/livez", port: "https", scheme: "HTTPS" },
    periodSeconds: 10,
  },
  readinessProbe: {
    failureThreshold: 3,
    httpGet: { path: "/readyz", port: "https", scheme: "HTTPS" },
    initialDelaySeconds: 20,
    periodSeconds: 10,
  },
  resources: { requests: { cpu: "100m", memory: "200Mi" } },
  securityContext: {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
    readOnlyRootFilesystem: true,
    runAsNonRoot: true,
    runAsUser: 1000,
    seccompProfile: { type: "RuntimeDefault" },
  },
  volumeMounts: [{ mountPath: "/tmp", name: "tmp-dir" }],
} as const;
