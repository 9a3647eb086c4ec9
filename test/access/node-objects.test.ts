// The permissions of a node for the objects of its pods and for its own: every verb, subresource and name, in upstream's words.
import { describe, expect, test } from "vitest";
import type { Attributes } from "../../shared/k8s/authorizer.ts";
import { persistentVolumeClaims } from "../../worker/kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "../../worker/kinds/core/persistent-volume/persistent-volume.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { resourceSlices } from "../../worker/kinds/resource/resource-slice.ts";
import { volumeAttachments } from "../../worker/kinds/storage/volume-attachment.ts";
import { attributesOf, newStored } from "./stored.ts";

const node = "n1";
const user = { name: `system:node:${node}`, groups: ["system:nodes", "system:authenticated"] };
const unrelated = "no relationship found between node 'n1' and this object";
const namespace = "ns";

function fixture() {
  const stored = newStored();
  return {
    ...stored,
    /** Returns "may", or the reason of the denial. */
    decisionOf: (verb: string, resource: string, more: Partial<Attributes> = {}) => {
      const { allowed, reason } = stored.decide(user, attributesOf(verb, resource, more));
      return allowed ? "may" : reason;
    },
    pod: (name: string, spec: object, more: object = {}, nodeName = node) =>
      stored.put(pods, { metadata: { name, namespace, ...more }, spec: { nodeName, ...spec }, status: {} }),
  };
}

describe("references of a node's pods", () => {
  /** Reports which objects it may read. */
  const readable = (stored: ReturnType<typeof fixture>, plural: string, names: readonly string[], where = namespace) =>
    names.filter((name) => stored.decisionOf("get", plural, { namespace: where, name }) === "may");

  test("G3: grant Secrets and ConfigMaps, anywhere in the pod", () => {
    const stored = fixture();
    stored.pod("web", {
      imagePullSecrets: [{ name: "pull" }, { name: "" }],
      containers: [
        {
          env: [
            { valueFrom: { configMapKeyRef: { name: "env-map" } } },
            { valueFrom: { secretKeyRef: { name: "env" } } },
          ],
        },
        { envFrom: [{ configMapRef: { name: "from-map" } }, { secretRef: { name: "from" } }] },
      ],
      initContainers: [{ env: [{ valueFrom: { secretKeyRef: { name: "init" } } }] }],
      volumes: [
        { name: "a", secret: { secretName: "volume" } },
        { name: "b", configMap: { name: "volume-map" } },
        {
          name: "c",
          projected: { sources: [{ secret: { name: "projected" } }, { configMap: { name: "projected-map" } }] },
        },
        { name: "d", csi: { nodePublishSecretRef: { name: "csi" } } },
        { name: "e", azureFile: { secretName: "azure" } },
        { name: "f", hostPath: { path: "plain" } },
      ],
    });
    const secrets = ["pull", "env", "from", "init", "volume", "projected", "csi", "azure"];
    expect(readable(stored, "secrets", [...secrets, "", "plain", "a", "web", "volume-map"])).toEqual(secrets);
    const maps = ["env-map", "from-map", "volume-map", "projected-map"];
    expect(readable(stored, "configmaps", [...maps, "env", "volume", "b"])).toEqual(maps);
    expect(readable(stored, "secrets", secrets, "other")).toEqual([]);
  });

  test("G3: grant nothing from pods of other nodes or from mirror pods, except the mirror pods themselves", () => {
    const stored = fixture();
    const spec = { imagePullSecrets: [{ name: "s" }] };
    stored.pod("theirs", spec, {}, "n2");
    stored.pod("mirror", spec, { annotations: { "kubernetes.io/config.mirror": "" } });
    expect(stored.decisionOf("get", "secrets", { namespace, name: "s" })).toBe(unrelated);
    expect(stored.decisionOf("get", "pods", { namespace, name: "mirror" })).toBe("may");
    expect(stored.decisionOf("get", "pods", { namespace, name: "theirs" })).toBe(unrelated);
    stored.pod("own", spec);
    expect(stored.decisionOf("get", "secrets", { namespace, name: "s" })).toBe("may");
    stored.remove(pods, { namespace, name: "own" });
    expect(stored.decisionOf("get", "secrets", { namespace, name: "s" })).toBe(unrelated);
  });

  test("G3: grant claims by name and by ephemeral volume, their volumes, and the volumes' Secrets", () => {
    const stored = fixture();
    stored.pod("web", {
      volumes: [
        { name: "a", persistentVolumeClaim: { claimName: "claim" } },
        { name: "scratch", ephemeral: {} },
      ],
    });
    const claim = (name: string, volumeName?: string) =>
      stored.put(persistentVolumeClaims, { metadata: { name, namespace }, spec: volumeName ? { volumeName } : {} });
    const volume = (name: string, claimRef: object | undefined, source: object = {}) =>
      stored.put(persistentVolumes, { metadata: { name }, spec: { ...(claimRef ? { claimRef } : {}), ...source } });
    claim("claim", "bound");
    claim("other", "elsewhere");
    claim("web-scratch", "stolen");
    volume(
      "bound",
      { namespace, name: "claim" },
      {
        csi: {
          nodeStageSecretRef: { name: "stage", namespace: "vault" },
          nodePublishSecretRef: { name: "publish" },
          controllerPublishSecretRef: { name: "controller" },
          controllerExpandSecretRef: { name: "expand" },
        },
        azureFile: { secretName: "azure", secretNamespace: "vault" },
      },
    );
    volume("elsewhere", { namespace, name: "other" });
    volume("stolen", { namespace, name: "somebody" });
    const claims = ["claim", "web-scratch", "other", "scratch", "a"];
    expect(readable(stored, "persistentvolumeclaims", claims)).toEqual(["claim", "web-scratch"]);
    expect(readable(stored, "persistentvolumes", ["bound", "elsewhere", "stolen"], "")).toEqual(["bound"]);
    const secrets = ["stage", "publish", "controller", "expand", "azure", "claim"];
    expect(readable(stored, "secrets", secrets)).toEqual(["publish"]);
    expect(readable(stored, "secrets", secrets, "vault")).toEqual(["stage", "azure"]);
    volume("stolen", { namespace: "other", name: "web-scratch" });
    expect(readable(stored, "persistentvolumes", ["stolen"], "")).toEqual([]);
    volume("stolen", { namespace, name: "web-scratch" });
    expect(readable(stored, "persistentvolumes", ["stolen"], "")).toEqual(["stolen"]);
    volume("bound", undefined);
    expect(readable(stored, "persistentvolumes", ["bound"], "")).toEqual([]);
  });

  test("G3: grant resource claims, by name or generated for the pod", () => {
    const stored = fixture();
    stored.put(pods, {
      metadata: { name: "web", namespace },
      spec: {
        nodeName: node,
        resourceClaims: [{ name: "a", resourceClaimName: "named" }, { name: "b" }, { name: "c" }],
      },
      status: {
        resourceClaimStatuses: [
          { name: "b", resourceClaimName: "web-b-x" },
          { name: "d", resourceClaimName: "other" },
        ],
      },
    });
    const claims = ["named", "web-b-x", "other", "a", "c"];
    expect(readable(stored, "resourceclaims.resource.k8s.io", claims)).toEqual(["named", "web-b-x"]);
  });

  test("G3: grant reading its pods' service accounts and requesting their tokens", () => {
    const stored = fixture();
    stored.pod("web", { serviceAccountName: "bot" });
    stored.pod("plain", {});
    const at = (verb: string, name: string, subresource = "") =>
      stored.decisionOf(verb, "serviceaccounts", { namespace, name, subresource });
    expect([at("get", "bot"), at("create", "bot", "token")]).toEqual(["may", "may"]);
    expect([at("get", "other"), at("create", "other", "token")]).toEqual([unrelated, unrelated]);
    const individually = "can only create tokens for individual service accounts";
    expect([at("create", "", "token"), at("list", "bot"), at("get", "bot", "token")]).toEqual([
      individually,
      individually,
      individually,
    ]);
    expect(at("create", "bot")).toBe("can only create token subresource of serviceaccount");
  });
});

describe("requests of a node", () => {
  test.each([
    ["get", "configmaps", { namespace, name: "" }, "No Object name found"],
    ["watch", "secrets", { namespace, name: "x" }, unrelated],
    ["update", "secrets", { namespace, name: "x" }, "can only read resources of this type"],
    ["get", "secrets", { namespace, name: "x", subresource: "y" }, "cannot read subresource"],
    ["list", "configmaps", { name: "x" }, "can only read namespaced object of this type"],
    ["list", "persistentvolumes", {}, "can only get individual resources of this type"],
    ["get", "persistentvolumes", { name: "x", subresource: "status" }, "cannot get subresource"],
    [
      "get",
      "persistentvolumeclaims",
      { namespace, name: "x", subresource: "status" },
      "can only get/update/patch this type",
    ],
    ["update", "persistentvolumeclaims", { namespace, name: "x", subresource: "status" }, unrelated],
    ["update", "persistentvolumeclaims", { namespace, name: "x" }, "can only get individual resources of this type"],
    ["list", "resourceclaims.resource.k8s.io", { namespace }, "can only get individual resources of this type"],
    ["get", "volumeattachments.storage.k8s.io", { name: "x", subresource: "status" }, "cannot get subresource"],
  ])("G3: %s of %s as %j: %s", (verb, resource, more, reason) => {
    expect(fixture().decisionOf(verb, resource, more)).toBe(reason);
  });

  test("G3: may write the status of its pods' claims", () => {
    const stored = fixture();
    stored.pod("web", { volumes: [{ name: "a", persistentVolumeClaim: { claimName: "claim" } }] });
    const at = (verb: string, subresource: string) =>
      stored.decisionOf(verb, "persistentvolumeclaims", { namespace, name: "claim", subresource });
    expect([at("update", "status"), at("patch", "status"), at("get", "")]).toEqual(["may", "may", "may"]);
    expect(at("delete", "status")).toBe("can only get/update/patch this type");
  });
});

describe("a node's own objects", () => {
  test("G3: include its lease in kube-node-lease, by its name except on creation", () => {
    const { decisionOf } = fixture();
    const at = (verb: string, name: string, where = "kube-node-lease") =>
      decisionOf(verb, "leases.coordination.k8s.io", { namespace: where, name });
    for (const verb of ["get", "create", "update", "patch", "delete"]) expect(at(verb, node)).toBe("may");
    expect(at("create", "")).toBe("may");
    expect(at("get", "n2")).toBe("can only access node lease with the same name as the requesting node");
    expect(at("list", node)).toBe("can only get, create, update, patch, or delete a node lease");
    expect(at("get", node, "ns")).toBe('can only access leases in the "kube-node-lease" system namespace');
  });

  test("G3: include its CSINode, by its name except on creation", () => {
    const { decisionOf } = fixture();
    const at = (verb: string, name: string, subresource = "") =>
      decisionOf(verb, "csinodes.storage.k8s.io", { name, subresource });
    for (const verb of ["get", "create", "update", "patch", "delete"]) expect(at(verb, node)).toBe("may");
    expect(at("create", "")).toBe("may");
    expect(at("get", "n2")).toBe("can only access CSINode with the same name as the requesting node");
    expect(at("list", "")).toBe("can only get, create, update, patch, or delete a CSINode");
    expect(at("get", node, "status")).toBe("cannot authorize CSINode subresources");
  });

  test("G3: include the resource slices and volume attachments that name it", () => {
    const { decisionOf, put } = fixture();
    for (const [name, nodeName] of [
      ["own", node],
      ["theirs", "n2"],
      ["nobodys", undefined],
    ] as const) {
      const spec = nodeName ? { nodeName } : {};
      put(resourceSlices, { metadata: { name }, spec });
      put(volumeAttachments, { metadata: { name }, spec });
    }
    const slice = (verb: string, name: string, more: Partial<Attributes> = {}) =>
      decisionOf(verb, "resourceslices.resource.k8s.io", { name, ...more });
    for (const verb of ["get", "update", "patch", "delete"]) {
      expect([slice(verb, "own"), slice(verb, "theirs"), slice(verb, "nobodys"), slice(verb, "absent")]).toEqual([
        "may",
        unrelated,
        unrelated,
        unrelated,
      ]);
    }
    expect([slice("create", ""), slice("get", "own", { subresource: "status" })]).toEqual([
      "may",
      "cannot authorize ResourceSlice subresources",
    ]);
    for (const verb of ["list", "watch", "deletecollection"]) {
      expect(slice(verb, "", { fields: [["spec.nodeName", node]] })).toBe("may");
      for (const fields of [
        undefined,
        [],
        [["spec.nodeName", "n2"]],
        [["metadata.name", node]],
      ] as Attributes["fields"][])
        expect(slice(verb, "", fields ? { fields } : {})).toBe(
          "can only list/watch/deletecollection resourceslices with nodeName field selector",
        );
    }
    expect(slice("proxy", "own")).toContain("only the following verbs are allowed for a ResourceSlice");
    const attachment = (name: string) => decisionOf("get", "volumeattachments.storage.k8s.io", { name });
    expect(["own", "theirs", "nobodys"].map(attachment)).toEqual(["may", unrelated, unrelated]);
  });

  test("G3: include its Node, to create, update and read, and only its status subresource", () => {
    const { decisionOf } = fixture();
    const at = (verb: string, name: string, subresource = "") => decisionOf(verb, "nodes", { name, subresource });
    for (const verb of ["create", "update", "patch"]) expect(at(verb, node)).toBe("may");
    for (const verb of ["get", "list", "watch"]) {
      expect(at(verb, node)).toBe("may");
      expect(at(verb, "n2")).toBe("node 'n1' cannot read 'n2', only its own Node object");
      expect(at(verb, "")).toBe("node 'n1' cannot read all nodes, only its own Node object");
    }
    expect([at("update", node, "status"), at("patch", node, "status")]).toEqual(["may", "may"]);
    expect([
      at("get", node, "status"),
      at("delete", node),
      at("get", node, "proxy"),
      at("create", node, "proxy"),
    ]).toEqual(["", "", "", ""]);
  });

  test("G3: include its pods, to create and delete, to read by name or by its selector, and their status and eviction", () => {
    const { decisionOf, pod } = fixture();
    pod("web", {});
    pod("theirs", {}, {}, "n2");
    const at = (verb: string, name: string, more: Partial<Attributes> = {}) =>
      decisionOf(verb, "pods", { namespace, name, ...more });
    expect([at("create", ""), at("delete", "web"), at("get", "web")]).toEqual(["may", "may", "may"]);
    expect([at("get", "theirs"), at("list", "web"), at("watch", "theirs")]).toEqual([unrelated, "may", unrelated]);
    for (const verb of ["list", "watch"]) {
      expect(at(verb, "", { fields: [["spec.nodeName", node]] })).toBe("may");
      expect(at(verb, "")).toBe("can only list/watch pods with spec.nodeName field selector");
    }
    const of = (subresource: string, ...verbs: string[]) => verbs.map((verb) => at(verb, "web", { subresource }));
    expect(of("status", "update", "patch", "get", "create")).toEqual(["may", "may", "", ""]);
    expect(of("eviction", "create", "update")).toEqual(["may", ""]);
    expect(of("exec", "create", "get")).toEqual(["", ""]);
    expect([at("update", "web"), at("deletecollection", "")]).toEqual(["", ""]);
  });

  test("G3: are extended by the rules for all nodes", () => {
    const { decisionOf, decide } = fixture();
    expect([
      decisionOf("list", "services"),
      decisionOf("create", "events", { namespace }),
      decisionOf("get", "endpoints"),
    ]).toEqual(["may", "may", "may"]);
    expect([decisionOf("delete", "services"), decisionOf("get", "deployments.apps")]).toEqual(["", ""]);
    const path = { ...attributesOf("get", "secrets", { namespace, name: "x" }), isResource: false, path: "/healthz" };
    expect(decide(user, path).allowed).toBe(false);
  });
});

describe("users that are nodes", () => {
  test("G3: are members of the group with a node's name; without a name they may do nothing, and other users are not nodes", () => {
    const { decide } = fixture();
    const services = attributesOf("list", "services");
    const as = (name: string, ...groups: string[]) => decide({ name, groups }, services);
    expect(as("system:node:n1", "system:nodes").allowed).toBe(true);
    expect(as("system:node:", "system:nodes")).toEqual({
      allowed: false,
      reason: 'unknown node for user "system:node:"',
    });
    expect(as("system:node:n1", "others")).toEqual({ allowed: false, reason: "" });
    expect(as("jane", "system:nodes")).toEqual({ allowed: false, reason: "" });
  });
});
