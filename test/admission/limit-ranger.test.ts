import { describe, expect, test } from "vitest";
import { limitRanger } from "../../worker/admission/limit-ranger/plugin.ts";
import { limitRanges } from "../../worker/kinds/core/limit-range.ts";
import { persistentVolumeClaims } from "../../worker/kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { podOf } from "./pods.ts";
import { admit, objectOf, requestOf, stored } from "./request.ts";

const range = (...limits: object[]) => stored(limitRanges, { metadata: { name: "limits" }, spec: { limits } });

function pod(resources: object, more: object = {}) {
  return podOf({ containers: [{ name: "web", image: "nginx", resources }], ...more });
}

function create(object: ReturnType<typeof pod>, ...limits: object[]) {
  admit(limitRanger, requestOf(pods, "CREATE", { object, stored: [range(...limits)] }));
  return object;
}

function refusal(object: ReturnType<typeof pod>, ...limits: object[]): string {
  try {
    create(object, ...limits);
    return "";
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : "";
  }
}

function claimRefusal(storage: string, limit: object): string {
  const object = objectOf(persistentVolumeClaims, {
    metadata: { name: "data", namespace: "team" },
    spec: { resources: { requests: { storage } } },
  });
  try {
    admit(limitRanger, requestOf(persistentVolumeClaims, "CREATE", { object, stored: [range(limit)] }));
    return "";
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : "";
  }
}

describe("LimitRanger", () => {
  const defaults = { type: "Container", default: { cpu: "1", memory: "1Gi" }, defaultRequest: { cpu: "500m" } };

  test("sets missing defaults of containers, with an annotation", () => {
    const initContainers = [{ name: "init", image: "nginx", resources: { limits: { cpu: "2" } } }];
    const { metadata, spec } = create(pod({ requests: { cpu: "100m" } }, { initContainers }), defaults);
    expect(spec.containers[0]?.resources).toEqual({
      limits: { cpu: "1", memory: "1Gi" },
      requests: { cpu: "100m" },
    });
    expect(spec.initContainers?.[0]?.resources).toEqual({
      limits: { cpu: "2", memory: "1Gi" },
      requests: { cpu: "500m" },
    });
    expect(metadata.annotations).toEqual({
      "kubernetes.io/limit-ranger":
        "LimitRanger plugin set: cpu, memory limit for container web; cpu request for init container init; memory limit for init container init",
    });
  });

  test("leaves a complete pod unchanged", () => {
    const resources = { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "1" } };
    expect(create(pod(resources), defaults).metadata.annotations).toBeUndefined();
  });

  test("ignores other updates of pods", () => {
    const object = pod({});
    const request = requestOf(pods, "UPDATE", { object, previous: object, stored: [range(defaults)] });
    expect(() => admit(limitRanger, request)).not.toThrow();
    expect(object.metadata.annotations).toBeUndefined();
  });

  test.each([
    [{ min: { cpu: "1" } }, {}, "minimum cpu usage per Container is 1.  No request is specified"],
    [{ min: { cpu: "1" } }, { requests: { cpu: "500m" } }, "minimum cpu usage per Container is 1, but request is 500m"],
    [
      { min: { cpu: "1" } },
      { requests: { cpu: "1" }, limits: { cpu: "900m" } },
      "minimum cpu usage per Container is 1, but limit is 900m",
    ],
    [{ max: { memory: "1Gi" } }, {}, "maximum memory usage per Container is 1Gi.  No limit is specified"],
    [
      { max: { memory: "1Gi" } },
      { limits: { memory: "2Gi" } },
      "maximum memory usage per Container is 1Gi, but limit is 2Gi",
    ],
    [
      { maxLimitRequestRatio: { cpu: "2" } },
      { limits: { cpu: "1" } },
      "cpu max limit to request ratio per Container is 2, but no request is specified or request is 0",
    ],
    [
      { maxLimitRequestRatio: { cpu: "2" } },
      { requests: { cpu: "1" } },
      "cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0",
    ],
    [
      { maxLimitRequestRatio: { cpu: "1500m" } },
      { requests: { cpu: "1" }, limits: { cpu: "2" } },
      "cpu max limit to request ratio per Container is 1500m, but provided ratio is 2.000000",
    ],
  ])("limits containers to %j", (limit, resources, why) => {
    expect(refusal(pod(resources), { type: "Container", ...limit })).toBe(`pods "web" is forbidden: ${why}`);
  });

  test("reports each violation once", () => {
    const two = { containers: ["a", "b"].map((name) => ({ name, image: "nginx" })) };
    expect(refusal(podOf(two), { type: "Container", min: { cpu: "1" }, max: { memory: "1Gi" } })).toBe(
      'pods "web" is forbidden: [minimum cpu usage per Container is 1.  No request is specified, maximum memory usage per Container is 1Gi.  No limit is specified]',
    );
  });

  test("limits pods by the sum of their containers, or by pod-level resources", () => {
    const limits = { cpu: "600m" };
    const containers = ["a", "b"].map((name) => ({ name, image: "nginx", resources: { limits } }));
    const limit = { type: "Pod", max: { cpu: "1" } };
    expect(refusal(podOf({ containers }), limit)).toBe(
      'pods "web" is forbidden: maximum cpu usage per Pod is 1, but limit is 1200m',
    );
    expect(refusal(podOf({ containers, resources: { limits: { cpu: "1" } } }), limit)).toBe("");
  });

  test("limits claims by their requests", () => {
    const limit = { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "5Gi" } };
    expect(claimRefusal("2Gi", limit)).toBe("");
    expect(claimRefusal("100Mi", limit)).toContain(
      "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 100Mi",
    );
    expect(claimRefusal("6Gi", limit)).toContain(
      "maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 6Gi",
    );
  });
});
