// The differences of older releases, and the feature gates and versions that a sandbox may request.
import { gzipSync } from "node:zlib";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createSandbox } from "../../shared/contract/sandbox.ts";
import { sandboxSettings } from "../../shared/contract/sandbox-settings.ts";
import { type KubernetesVersion, supportedVersions, upgradeProblem } from "../../shared/k8s/settings/release.ts";
import { typeOf } from "../../shared/schema/graph.ts";
import { releaseFacts } from "../../shared/schema/facts/releases/release-facts.ts";
import { table } from "../../shared/schema/facts/releases/table.ts";
import { kinds } from "../../worker/kinds/catalogue.ts";
import { kindsOfRelease } from "../../worker/kinds/release-kinds.ts";
import { releaseOf } from "../../shared/k8s/settings/release.ts";
import { settingsProblem, upgradeRefusal } from "../../worker/cluster/settings/problem.ts";

const settingsOf = (version: KubernetesVersion, featureGates: Readonly<Record<string, boolean>> = {}) =>
  sandboxSettings.parse({ version, featureGates, expiresAtMs: 0 });

describe("the differences of older releases", () => {
  test("take less than 300 KB of the Worker", () => {
    const texts = readFileSync(new URL("../../shared/schema/facts/release-texts.json", import.meta.url));
    expect(table.length + texts.length).toBeLessThan(300_000);
    expect(gzipSync(table).length + gzipSync(texts).length).toBeLessThan(40_000);
  });

  test("do not exist for the newest release, whose kinds are the catalogue's own", () => {
    expect(releaseFacts("1.36")).toBeUndefined();
    expect(kindsOfRelease(kinds, releaseOf("1.36"), {})).toEqual({ kinds });
    expect(kindsOfRelease(kinds, releaseOf("1.36"), {}).kinds).toBe(kinds);
  });

  test("mark the types that differ and those that contain them, and no others", () => {
    const { scope } = releaseFacts("1.33") ?? expect.fail("1.33 differs");
    expect(scope.qualify("io.k8s.api.core.v1.PodSpec")).toBe("io.k8s.api.core.v1.PodSpec@1.33");
    expect(scope.qualify("io.k8s.api.apps.v1.Deployment")).toBe("io.k8s.api.apps.v1.Deployment@1.33");
    expect(releaseFacts("1.34")?.scope.qualify("io.k8s.api.core.v1.ConfigMap")).toBe("io.k8s.api.core.v1.ConfigMap");
    const [older, newest] = ["io.k8s.api.core.v1.PodSpec@1.33", "io.k8s.api.core.v1.PodSpec"].map(typeOf);
    expect([older?.goName, older?.byJson.has("hostnameOverride")]).toEqual(["v1.PodSpec", false]);
    expect(newest?.byJson.has("hostnameOverride")).toBe(true);
  });

  test("have a type that only an older release has", () => {
    releaseFacts("1.35");
    const field = typeOf("io.k8s.api.core.v1.PodSpec@1.35")?.byJson.get("workloadRef");
    expect(field?.goType).toBe("v1.WorkloadReference");
    expect(typeOf(field?.type ?? "")?.byJson.has("podGroup")).toBe(true);
  });
});

describe("a version", () => {
  test("is 1.36 by default, and one of those that are supported", () => {
    expect(createSandbox.parse({}).version).toBe("1.36");
    const { error } = createSandbox.safeParse({ version: "1.32" });
    expect(error?.issues).toMatchObject([{ path: ["version"], message: "must be one of 1.33, 1.34, 1.35, 1.36" }]);
  });

  test.each(["HostnameOverride", "NoSuchGate"])("1.33 does not know the gate %s", (gate) => {
    expect(settingsProblem(settingsOf("1.33", { [gate]: true }), 1)).toMatchObject({
      field: `featureGates.${gate}`,
      message: `featureGates.${gate}: unrecognized feature gate: ${gate}`,
    });
  });

  test("has the gates of its release, with their defaults", () => {
    expect(settingsProblem(settingsOf("1.33", { ImageVolume: false, WatchList: true }), 1)).toBeUndefined();
    expect(settingsProblem(settingsOf("1.36", { ImageVolume: false }), 1)?.message).toBe(
      "featureGates.ImageVolume: cannot set feature gate ImageVolume to false, feature is locked to true",
    );
    expect(settingsProblem(settingsOf("1.33", { ImageVolume: true }), 1)?.message).toContain(
      "cannot be switched in a sandbox",
    );
    // The contract checks the gates of the newest release alone.
    expect(createSandbox.safeParse({ version: "1.33", featureGates: { ImageVolume: false } }).success).toBe(true);
  });
});

describe("an upgrade", () => {
  test("goes to the next version, and never down or past one", () => {
    expect(upgradeProblem("1.33", "1.34")).toBeUndefined();
    expect(upgradeProblem("1.35", "1.35")).toBeUndefined();
    expect(upgradeProblem("1.33", "1.35")).toBe("cannot skip minor versions from 1.33 to 1.35: upgrade to 1.34 first");
    expect(upgradeProblem("1.36", "1.34")).toBe(
      "cannot downgrade from 1.36 to 1.34: create a new sandbox with version 1.34",
    );
    expect(supportedVersions.at(-1)).toBe("1.36");
  });

  test("is refused while a gate is set that the next version does not accept", () => {
    expect(upgradeRefusal(settingsOf("1.34", { ImageVolume: false }), "1.35")).toMatchObject({
      code: "invalid_field",
      field: "featureGates.ImageVolume",
    });
  });
});
