// Golden timelines of custom resource definitions: every event and every step, in order.
import { expect, test } from "vitest";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { customResourceDefinitions } from "../../../worker/kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts";
import { widgetDefinition, widgetVersion } from "../../api/custom/widgets.ts";
import { quietCluster } from "../../cluster.ts";
import { story } from "../story.ts";

/** Returns the deletion mark and the finalizers of an object. */
function held({ kind, metadata: objectMeta }: KubeObject): string {
  if (kind === "Pod" || kind === "Namespace" || kind === "Event") return "";
  return [...(objectMeta.deletionTimestamp ? ["deletion"] : []), ...(objectMeta.finalizers ?? [])].join(" ");
}

test("a definition and an added version are accepted, established and registered", () => {
  const cluster = quietCluster({ nodes: 0 });
  const happen = (step: () => void) => {
    cluster.apply(customResourceDefinitions, widgetDefinition());
    step();
    cluster.edit(customResourceDefinitions, "", "widgets.example.com", ({ spec }) => {
      spec.versions = [...spec.versions, widgetVersion({ name: "v2", storage: false })];
    });
  };
  expect(story(cluster, happen, { describe: held })).toMatchInlineSnapshot(`
    [
      "CustomResourceDefinition widgets.example.com made",
      "CustomResourceDefinition widgets.example.com: conditions [NamesAccepted=True/NoConflicts Established=False/Installing], acceptedNames {plural 1 singular 1 shortNames 1 kind 1 listKind 1 categories 1}",
      "APIService v1.example.com made",
      "CustomResourceDefinition widgets.example.com: conditions [NamesAccepted=True/NoConflicts Established=True/InitialNamesAccepted]",
      "APIService v2.example.com made",
    ]
  `);
});

test("a definition in a protected group has a condition about its approval", () => {
  const cluster = quietCluster({ nodes: 0 });
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
