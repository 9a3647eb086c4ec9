// The common story of each controller of claims' protection, definitions, and what the API server is told, golden.
import { expect, test } from "vitest";
import type { Answer } from "../../shared/k8s/question.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { apiServices } from "../../worker/kinds/apiregistration/api-service.ts";
import { csiDrivers } from "../../worker/kinds/storage/csi-driver.ts";
import { customResourceDefinitions } from "../../worker/kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts";
import { endpoints } from "../../worker/kinds/core/endpoints.ts";
import { flowSchemas } from "../../worker/kinds/flowcontrol/flow-schema.ts";
import { persistentVolumeClaims } from "../../worker/kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../../worker/kinds/core/persistent-volume/persistent-volume.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { priorityLevelConfigurations } from "../../worker/kinds/flowcontrol/priority-level-configuration.ts";
import { services } from "../../worker/kinds/core/service/service.ts";
import { storageClasses } from "../../worker/kinds/storage/storage-class.ts";
import { validatingAdmissionPolicies } from "../../worker/kinds/admissionregistration/validating-admission-policy.ts";
import { volumeAttributesClasses } from "../../worker/kinds/storage/volume-attributes-class.ts";
import { widgetDefinition, widgetVersion } from "../api/custom/widgets.ts";
import { type TestCluster, newCluster } from "../cluster.ts";
import { story } from "./story.ts";
import { applyClaim, applyVolume, podWith } from "./volumes.ts";

const metadata = { name: "web", namespace: "default" };

function quiet(nodeCount: number, answer?: () => Answer): TestCluster {
  const cluster = newCluster({ nodes: nodeCount, ...(answer ? { answer } : {}) });
  cluster.runUntilQuiet();
  return cluster;
}

/** Whether it is being deleted, and what holds it. */
function held({ kind, metadata: own }: KubeObject): string {
  if (kind === "Pod" || kind === "Namespace" || kind === "Event") return "";
  return [...(own.deletionTimestamp ? ["deletion"] : []), ...(own.finalizers ?? [])].join(" ");
}

test("a claim is made for a pod's ephemeral volume, held while the pod is there, and goes with it", () => {
  const cluster = quiet(1);
  const happen = (step: () => void) => {
    applyVolume(cluster, "disk");
    const spec = {
      storageClassName: "",
      accessModes: ["ReadWriteOnce" as const],
      resources: { requests: { storage: "1Gi" } },
    };
    const volumes = [{ name: "data", ephemeral: { volumeClaimTemplate: { spec } } }];
    cluster.apply(pods, podWith("web", "", { volumes }));
    step();
    cluster.client.delete(persistentVolumeClaims, "default", "web-data");
    step();
    cluster.client.delete(pods, "default", "web");
  };
  expect(story(cluster, happen, { shown: held })).toMatchInlineSnapshot(`
    [
      "PersistentVolume disk made",
      "PersistentVolume disk has kubernetes.io/pv-protection",
      "Pod web made",
      "PersistentVolume disk: phase Available",
      "Warning FailedScheduling: 0/1 nodes are available: waiting for ephemeral volume controller to create the persistentvolumeclaim "web-data". not found",
      "PersistentVolumeClaim web-data made",
      "PersistentVolumeClaim web-data has kubernetes.io/pvc-protection",
      "Warning FailedScheduling: 0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found",
      "PersistentVolume disk: phase Bound",
      "PersistentVolumeClaim web-data: phase Bound, accessModes [item], capacity {storage 1}",
      "Pod web bound",
      "Normal Scheduled: Successfully assigned default/web to a node",
      "Pod web Running",
      "Normal Pulling: Pulling image "nginx:1"",
      "Normal Pulled: Successfully pulled image "nginx:1" in 0s (0s including waiting). Image size: 72099410 bytes.",
      "Normal Created: Container created",
      "Normal Started: Container started",
      "PersistentVolumeClaim web-data has deletion kubernetes.io/pvc-protection",
      "Pod web terminating",
      "Pod web Succeeded",
      "Normal Killing: Stopping container web",
      "Pod web gone",
      "PersistentVolumeClaim web-data gone",
      "PersistentVolume disk: phase Released, lastPhaseTransitionTime 2026-01-01T00:02:00Z",
    ]
  `);
});

test("a volume that is deleted stays until its claim is gone", () => {
  const cluster = quiet(0);
  const happen = (step: () => void) => {
    applyVolume(cluster, "disk", { persistentVolumeReclaimPolicy: "Retain" });
    applyClaim(cluster, "data");
    step();
    cluster.client.delete(persistentVolumes, "", "disk");
    step();
    cluster.client.delete(persistentVolumeClaims, "default", "data");
  };
  expect(story(cluster, happen, { shown: held })).toMatchInlineSnapshot(`
    [
      "PersistentVolume disk made",
      "PersistentVolume disk has kubernetes.io/pv-protection",
      "PersistentVolumeClaim data made",
      "PersistentVolumeClaim data has kubernetes.io/pvc-protection",
      "PersistentVolume disk: phase Available",
      "PersistentVolume disk: phase Bound",
      "PersistentVolumeClaim data: phase Bound, accessModes [item], capacity {storage 1}",
      "PersistentVolume disk has deletion kubernetes.io/pv-protection",
      "PersistentVolumeClaim data has deletion kubernetes.io/pvc-protection",
      "PersistentVolumeClaim data gone",
      "PersistentVolume disk: phase Released, lastPhaseTransitionTime 2026-01-01T00:12:01Z",
      "PersistentVolume disk gone",
    ]
  `);
});

test("a class of volume attributes that is deleted stays while a claim names it", () => {
  const cluster = quiet(0);
  const happen = (step: () => void) => {
    const parameters = { iops: "100" };
    cluster.apply(volumeAttributesClasses, { metadata: { name: "gold" }, driverName: "disk.example.com", parameters });
    applyClaim(cluster, "data", { storageClassName: "standard", volumeAttributesClassName: "gold" });
    step();
    cluster.client.delete(volumeAttributesClasses, "", "gold");
    step();
    cluster.client.delete(persistentVolumeClaims, "default", "data");
  };
  expect(story(cluster, happen, { shown: held })).toMatchInlineSnapshot(`
    [
      "VolumeAttributesClass gold made",
      "VolumeAttributesClass gold has kubernetes.io/vac-protection",
      "PersistentVolumeClaim data made",
      "PersistentVolumeClaim data has kubernetes.io/pvc-protection",
      "Normal WaitForFirstConsumer: waiting for first consumer to be created before binding",
      "VolumeAttributesClass gold has deletion kubernetes.io/vac-protection",
      "PersistentVolumeClaim data has deletion kubernetes.io/pvc-protection",
      "PersistentVolumeClaim data gone",
      "VolumeAttributesClass gold gone",
    ]
  `);
});

test("a driver that tells of its room does so for each of its classes", () => {
  const cluster = quiet(0);
  const happen = (step: () => void) => {
    const provisioner = "disk.example.com";
    cluster.apply(csiDrivers, { metadata: { name: provisioner }, spec: { storageCapacity: true } });
    cluster.apply(storageClasses, { metadata: { name: "fast" }, provisioner });
    step();
    cluster.client.delete(storageClasses, "", "fast");
  };
  expect(story(cluster, happen, { namespaces: ["", "kube-system"] })).toMatchInlineSnapshot(`
    [
      "CSIDriver disk.example.com made",
      "StorageClass fast made",
      "CSIStorageCapacity csisc-? made",
      "StorageClass fast gone",
      "CSIStorageCapacity csisc-? gone",
    ]
  `);
});

test("a definition is named, established and registered, and so is a version that it adds", () => {
  const cluster = quiet(0);
  const happen = (step: () => void) => {
    cluster.apply(customResourceDefinitions, widgetDefinition());
    step();
    cluster.edit(customResourceDefinitions, "", "widgets.example.com", ({ spec }) => {
      spec.versions = [...spec.versions, widgetVersion({ name: "v2", storage: false })];
    });
  };
  expect(story(cluster, happen, { shown: held })).toMatchInlineSnapshot(`
    [
      "CustomResourceDefinition widgets.example.com made",
      "CustomResourceDefinition widgets.example.com: conditions [NamesAccepted=True/NoConflicts Established=False/Installing], acceptedNames {plural 1 singular 1 shortNames 1 kind 1 listKind 1 categories 1}",
      "APIService v1.example.com made",
      "CustomResourceDefinition widgets.example.com: conditions [NamesAccepted=True/NoConflicts Established=True/InitialNamesAccepted]",
      "APIService v2.example.com made",
    ]
  `);
});

test("a definition in a protected group says whether it was approved", () => {
  const cluster = quiet(0);
  const happen = (step: () => void) => {
    const name = "widgets.example.k8s.io";
    const key = "api-approved.kubernetes.io";
    const definition = widgetDefinition([widgetVersion()], { group: "example.k8s.io" });
    cluster.apply(customResourceDefinitions, {
      ...definition,
      metadata: { name, annotations: { [key]: "unapproved, a trial" } },
    });
    step();
    cluster.edit(customResourceDefinitions, "", name, (draft) => {
      draft.metadata.annotations = { [key]: "https://github.com/kubernetes/kubernetes/pull/78458" };
    });
  };
  expect(story(cluster, happen)).toMatchInlineSnapshot(`
    [
      "CustomResourceDefinition widgets.example.k8s.io made",
      "CustomResourceDefinition widgets.example.k8s.io: conditions [KubernetesAPIApprovalPolicyConformant=False/UnapprovedAnnotation]",
      "CustomResourceDefinition widgets.example.k8s.io: conditions [KubernetesAPIApprovalPolicyConformant=False/UnapprovedAnnotation NamesAccepted=True/NoConflicts Established=False/Installing], acceptedNames {plural 1 singular 1 shortNames 1 kind 1 listKind 1 categories 1}",
      "APIService v1.example.k8s.io made",
      "CustomResourceDefinition widgets.example.k8s.io: conditions [KubernetesAPIApprovalPolicyConformant=False/UnapprovedAnnotation NamesAccepted=True/NoConflicts Established=True/InitialNamesAccepted]",
      "CustomResourceDefinition widgets.example.k8s.io: conditions [KubernetesAPIApprovalPolicyConformant=True/ApprovedAnnotation NamesAccepted=True/NoConflicts Established=True/InitialNamesAccepted]",
    ]
  `);
});

test("a flow schema dangles until its priority level is there", () => {
  const cluster = quiet(0);
  const happen = (step: () => void) => {
    cluster.apply(flowSchemas, {
      metadata: { name: "mine" },
      spec: { priorityLevelConfiguration: { name: "mine" } },
    });
    step();
    const spec = { type: "Limited", limited: { limitResponse: { type: "Reject" } } };
    cluster.apply(priorityLevelConfigurations, { metadata: { name: "mine" }, spec });
    step();
    cluster.client.delete(priorityLevelConfigurations, "", "mine");
  };
  expect(story(cluster, happen)).toMatchInlineSnapshot(`
    [
      "FlowSchema mine made",
      "FlowSchema mine: conditions [Dangling=True/NotFound]",
      "PriorityLevelConfiguration mine made",
      "FlowSchema mine: conditions [Dangling=False/Found]",
      "PriorityLevelConfiguration mine gone",
      "FlowSchema mine: conditions [Dangling=True/NotFound]",
    ]
  `);
});

test("an aggregated API is available once its service is there, has endpoints and answers", () => {
  let answer: Answer = { ok: false, message: "connect: connection refused" };
  const cluster = quiet(0, () => answer);
  const happen = (step: (ms?: number) => void) => {
    cluster.apply(apiServices, {
      metadata: { name: "v1.things.example.com" },
      spec: {
        group: "things.example.com",
        version: "v1",
        service: { namespace: "default", name: "web" },
        groupPriorityMinimum: 2000,
        versionPriority: 10,
        insecureSkipTLSVerify: true,
      },
    });
    step();
    cluster.apply(services, { metadata, spec: { clusterIP: "10.96.7.7", ports: [{ port: 443 }] } });
    step();
    const subsets = [{ addresses: [{ ip: "10.9.9.9" }], ports: [{ port: 443 }] }];
    cluster.apply(endpoints, { metadata, subsets });
    step();
    answer = { ok: true, status: 200, body: "{}" };
    step(400_000);
    cluster.client.delete(services, "default", "web");
  };
  expect(story(cluster, happen, { namespaces: [""] })).toMatchInlineSnapshot(`
    [
      "APIService v1.things.example.com made",
      "APIService v1.things.example.com: conditions [Available=False/ServiceNotFound]",
      "IPAddress 10.96.7.7 made",
      "APIService v1.things.example.com: conditions [Available=False/EndpointsNotFound]",
      "APIService v1.things.example.com: conditions [Available=False/FailedDiscoveryCheck]",
      "APIService v1.things.example.com: conditions [Available=True/Passed]",
      "IPAddress 10.96.7.7 gone",
      "APIService v1.things.example.com: conditions [Available=False/ServiceNotFound]",
    ]
  `);
});

test("a validating policy's expressions are checked, and again when they change", () => {
  const cluster = quiet(0);
  const happen = (step: () => void) => {
    const rule = { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["*" as const], resources: ["deployments"] };
    cluster.apply(validatingAdmissionPolicies, {
      metadata: { name: "p" },
      spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: "object.replicas > 1" }] },
    });
    step();
    cluster.edit(validatingAdmissionPolicies, "", "p", ({ spec }) => {
      spec.validations = [{ expression: "object.spec.replicas > 1" }];
    });
  };
  expect(story(cluster, happen)).toMatchInlineSnapshot(`
    [
      "ValidatingAdmissionPolicy p made",
      "ValidatingAdmissionPolicy p: observedGeneration 1, typeChecking {expressionWarnings 1}",
      "ValidatingAdmissionPolicy p: observedGeneration 2, typeChecking {}",
    ]
  `);
});
