// Specs with long lists: whatever compares each entry with each other, or with all there is, takes its time in their square.
import type { Dice } from "../../simulation/dice.ts";

/** A ConfigMap of many keys, which the wide pods refer to. */
export const manyKeys = "many-keys";

export const dataOfManyKeys = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`k${at}`, "v".repeat(50)]));

const core = "/api/v1/namespaces/default";
const many = <T>(count: number, item: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => item(at));
const shell = { name: "c", image: "busybox", command: ["sleep", "1000"] };
const pod = (spec: object): Wide => ({ path: `${core}/pods`, body: { spec: { containers: [shell], ...spec } } });
const container = (more: object): Wide => pod({ containers: [{ ...shell, ...more }] });
const labelled = (at: number) => ({ labelSelector: { matchLabels: { app: `a${at}` } } });

export interface Wide {
  readonly path: string;
  /** Without its name. */
  readonly body: { readonly metadata?: object; readonly spec?: object; readonly rules?: readonly object[] };
}

export function wideObject(dice: Dice): Wide {
  const n = 500 + dice.below(5000);
  const few = 10 + dice.below(200);
  return dice.choose<() => Wide>(
    () => container({ env: many(n, (at) => ({ name: `E${at}`, value: `$(E${at - 1})x` })) }),
    () =>
      container({
        env: [
          { name: "A0", value: "x".repeat(1000) },
          ...many(40, (at) => ({ name: `A${at + 1}`, value: `$(A${at})$(A${at})` })),
        ],
      }),
    () => container({ envFrom: many(n, (at) => ({ prefix: `P${at}_`, configMapRef: { name: manyKeys } })) }),
    () =>
      container({
        env: many(n, (at) => ({
          name: `E${at}`,
          valueFrom: { configMapKeyRef: { name: manyKeys, key: `k${at % 5000}` } },
        })),
      }),
    () =>
      container({
        env: many(n, (at) => ({ name: `E${at}`, valueFrom: { fieldRef: { fieldPath: "metadata.annotations" } } })),
      }),
    () => container({ args: many(n, () => "$(A)$(A)$(A)"), env: [{ name: "A", value: "x".repeat(100_000) }] }),
    () => container({ ports: many(n, (at) => ({ name: `p${at}`, containerPort: 1 + at, hostPort: 1 + at })) }),
    () =>
      pod({
        volumes: many(n, (at) => ({ name: `v${at}`, emptyDir: {} })),
        containers: [{ ...shell, volumeMounts: many(n, (at) => ({ name: `v${at}`, mountPath: `/m${at}` })) }],
      }),
    () =>
      pod({
        volumes: many(few, (at) => ({ name: `v${at}`, configMap: { name: manyKeys } })),
        containers: [{ ...shell, volumeMounts: many(few, (at) => ({ name: `v${at}`, mountPath: `/m${at}` })) }],
      }),
    () =>
      pod({
        volumes: [
          {
            name: "v",
            configMap: { name: manyKeys, items: many(n, (at) => ({ key: `k${at % 5000}`, path: `a/${at}` })) },
          },
        ],
        containers: [{ ...shell, volumeMounts: [{ name: "v", mountPath: "/m" }] }],
      }),
    () => pod({ tolerations: many(n, (at) => ({ key: `k${at}`, operator: "Exists" })) }),
    () => pod({ schedulingGates: many(n, (at) => ({ name: `a.b/g${at}` })) }),
    () => pod({ hostAliases: many(n, (at) => ({ ip: "10.1.2.3", hostnames: [`h${at}`] })) }),
    () => pod({ initContainers: many(few, (at) => ({ name: `i${at}`, image: "busybox", command: ["true"] })) }),
    () =>
      pod({
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: many(n, (at) => ({
              topologyKey: `t${at}`,
              ...labelled(at),
            })),
          },
        },
      }),
    () =>
      pod({
        topologySpreadConstraints: many(n, (at) => ({
          maxSkew: 1,
          topologyKey: `t${at}`,
          whenUnsatisfiable: "ScheduleAnyway",
          ...labelled(at),
        })),
      }),
    () => {
      const resources = Object.fromEntries(many(n, (at) => [`example.com/r${at}`, "1"]));
      return container({ resources: { limits: resources, requests: resources } });
    },
    () => ({ path: `${core}/configmaps`, body: { metadata: { finalizers: many(n, (at) => `a.b/f${at}`) } } }),
    () => ({
      path: `${core}/resourcequotas`,
      body: {
        spec: {
          hard: { pods: "100000" },
          scopeSelector: {
            matchExpressions: many(n, (at) => ({ scopeName: "PriorityClass", operator: "In", values: [`p${at}`] })),
          },
        },
      },
    }),
    () => ({
      path: "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles",
      body: { rules: many(n, (at) => ({ apiGroups: [`g${at}`], resources: [`r${at}`], verbs: ["get"] })) },
    }),
    () => ({
      path: "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies",
      body: {
        spec: {
          podSelector: {},
          ingress: [{ from: many(n, () => ({ ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } })) }],
        },
      },
    }),
    () => ({
      path: "/apis/apps/v1/namespaces/default/statefulsets",
      body: {
        spec: {
          serviceName: "x",
          selector: { matchLabels: { app: "wide" } },
          volumeClaimTemplates: many(few, (at) => ({
            metadata: { name: `v${at}` },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          })),
          template: { metadata: { labels: { app: "wide" } }, spec: { containers: [shell] } },
        },
      },
    }),
  )();
}
