// Policies with their bindings, in a cluster to which only the test writes.
import type {
  MutatingAdmissionPolicySpec,
  Mutation,
  ValidatingAdmissionPolicyBindingSpec,
  ValidatingAdmissionPolicySpec,
} from "../../shared/k8s/api/admissionregistration-v1.ts";
import type { Deployment } from "../../shared/k8s/api/apps-v1.ts";
import type { Draft } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { deployments } from "../../worker/kinds/apps/deployment.ts";
import { mutatingAdmissionPolicies } from "../../worker/kinds/admissionregistration/mutating-admission-policy.ts";
import { mutatingAdmissionPolicyBindings } from "../../worker/kinds/admissionregistration/mutating-admission-policy-binding.ts";
import { validatingAdmissionPolicies } from "../../worker/kinds/admissionregistration/validating-admission-policy.ts";
import { validatingAdmissionPolicyBindings } from "../../worker/kinds/admissionregistration/validating-admission-policy-binding.ts";
import { type TestCluster, newCluster } from "../cluster.ts";

export const onDeployments = {
  resourceRules: [
    { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["deployments"] },
  ],
} as const;

export type Spec = Draft<ValidatingAdmissionPolicySpec>;

export interface Policies {
  readonly cluster: TestCluster;
  validate(spec: Partial<Spec>, binding?: Partial<Draft<ValidatingAdmissionPolicyBindingSpec>>, name?: string): void;
  mutate(mutations: readonly Mutation[], spec?: Partial<Draft<MutatingAdmissionPolicySpec>>, name?: string): void;
  deploy(name: string, more?: { replicas?: number; labels?: Record<string, string>; namespace?: string }): Deployment;
  /** Returns the error of a write. */
  refusal(write: () => unknown): ApiError;
}

export function policies(): Policies {
  const cluster = newCluster({ nodes: 0, controllers: [] });
  const { client } = cluster;
  return {
    cluster,
    validate(spec, binding = {}, name = "p") {
      client.create(validatingAdmissionPolicies, {
        metadata: { name },
        spec: { matchConstraints: structuredClone(onDeployments), ...spec },
      });
      client.create(validatingAdmissionPolicyBindings, {
        metadata: { name: name === "p" ? "b" : `${name}-b` },
        spec: { policyName: name, validationActions: ["Deny"], ...binding },
      });
    },
    mutate(mutations, spec = {}, name = "p") {
      client.create(mutatingAdmissionPolicies, {
        metadata: { name },
        spec: {
          matchConstraints: structuredClone(onDeployments),
          mutations: [...mutations],
          reinvocationPolicy: "Never",
          ...spec,
        },
      });
      const binding = { metadata: { name: name === "p" ? "b" : `${name}-b` }, spec: { policyName: name } };
      client.create(mutatingAdmissionPolicyBindings, binding);
    },
    deploy: (name, { replicas = 1, labels = {}, namespace = "default" } = {}) =>
      client.create(deployments, {
        metadata: { name, namespace, labels },
        spec: {
          replicas,
          selector: { matchLabels: { app: name } },
          template: {
            metadata: { labels: { app: name } },
            spec: { containers: [{ name: "c", image: "nginx:1.25" }] },
          },
        },
      }),
    refusal(write) {
      try {
        write();
      } catch (error) {
        if (error instanceof ApiError) return error;
        throw error;
      }
      throw new Error("not refused");
    },
  };
}
