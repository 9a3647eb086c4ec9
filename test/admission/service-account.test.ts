import { describe, expect, test } from "vitest";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { serviceAccount } from "../../worker/admission/service-account/plugin.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { serviceAccounts } from "../../worker/kinds/core/service-account.ts";
import { podOf } from "./pods.ts";
import { admit, requestOf, stored } from "./request.ts";

const account = (name: string, more: object = {}, annotations: object = {}) =>
  stored(serviceAccounts, { metadata: { name, namespace: "team", annotations }, ...more });
const create = (object: Pod, ...storedAccounts: ReturnType<typeof account>[]) => {
  admit(serviceAccount, requestOf(pods, "CREATE", { object, stored: storedAccounts }));
  return object;
};
const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";

describe("ServiceAccount", () => {
  test("sets the default account and its token volume", () => {
    const { spec } = create(podOf({ initContainers: [{ name: "init", image: "busybox" }] }), account("default"));
    expect([spec.serviceAccountName, spec.serviceAccount]).toEqual(["default", "default"]);
    const name = spec.volumes?.[0]?.name ?? "";
    expect(name).toMatch(/^kube-api-access-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(spec.volumes).toEqual([
      {
        name,
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
            { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
            {
              downwardAPI: {
                items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
              },
            },
          ],
        },
      },
    ]);
    const mounts = [{ name, readOnly: true, mountPath }];
    expect(spec.containers[0]?.volumeMounts).toEqual(mounts);
    expect(spec.initContainers?.[0]?.volumeMounts).toEqual(mounts);
  });

  test("skips a container with a mount at the token's path, and adds no unused volume", () => {
    const volumeMounts = [{ name: "own", mountPath }];
    const { spec } = create(podOf({ containers: [{ name: "web", volumeMounts }] }), account("default"));
    expect(spec.containers[0]?.volumeMounts).toEqual(volumeMounts);
    expect(spec.volumes).toBeUndefined();
  });

  test("uses the token volume of a pod", () => {
    const { spec } = create(podOf({ volumes: [{ name: "kube-api-access-mine" }] }), account("default"));
    expect(spec.volumes).toHaveLength(1);
    expect(spec.containers[0]?.volumeMounts?.[0]?.name).toBe("kube-api-access-mine");
  });

  test.each([
    ["the account disables it", {}, { automountServiceAccountToken: false }, 0],
    ["the pod disables it", { automountServiceAccountToken: false }, {}, 0],
    ["the pod enables it", { automountServiceAccountToken: true }, { automountServiceAccountToken: false }, 1],
  ])("mounts no token if %s, the pod before the account", (_, spec, more, volumes) => {
    expect(create(podOf(spec), account("default", more)).spec.volumes ?? []).toHaveLength(volumes);
  });

  test("copies image pull secrets of the account if the pod has none", () => {
    const pull = account("default", { imagePullSecrets: [{ name: "pull" }] });
    expect(create(podOf(), pull).spec.imagePullSecrets).toEqual([{ name: "pull" }]);
    const ownSecrets = { imagePullSecrets: [{ name: "own" }] };
    expect(create(podOf(ownSecrets), pull).spec.imagePullSecrets).toEqual([{ name: "own" }]);
  });

  test("rejects a pod whose account is missing", () => {
    expect(() => create(podOf({ serviceAccountName: "robot" }), account("default"))).toThrow(
      expect.objectContaining({
        code: 403,
        message:
          'pods "web" is forbidden: error looking up service account team/robot: serviceaccount "robot" not found',
      }),
    );
  });

  test("rejects secrets that an enforcing account does not list", () => {
    const enforcing = account("default", {}, { "kubernetes.io/enforce-mountable-secrets": "true" });
    expect(() => create(podOf({ volumes: [{ name: "v", secret: { secretName: "s" } }] }), enforcing)).toThrow(
      'pods "web" is forbidden: volume with secret.secretName="s" is not allowed because service account default does not reference that secret',
    );
  });

  test.each([
    ["a mirror pod may not reference service accounts", { serviceAccountName: "default" }],
    ["a mirror pod may not reference secrets", { volumes: [{ name: "v", secret: { secretName: "s" } }] }],
    [
      "a mirror pod may not use ServiceAccountToken volume projections",
      { volumes: [{ name: "v", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }] },
    ],
  ])("rejects mirror pods that need an account: %s", (message, spec) => {
    const mirror = podOf(spec, { annotations: { "kubernetes.io/config.mirror": "x" } });
    expect(() => create(mirror)).toThrow(message);
  });

  test("ignores updates", () => {
    const object = podOf();
    admit(serviceAccount, requestOf(pods, "UPDATE", { object, previous: podOf() }));
    expect(object).toEqual(podOf());
  });
});
