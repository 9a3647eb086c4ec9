// `kubectl explain` for every kind, to the last field.
import { expect } from "vitest";
import { kubectlTest, newestKubectlTest } from "../each-kubectl.ts";
import { type Kubectl, rows } from "../kubectl.ts";

// The document of each kind is the server's. How a version of kubectl reads one is tested below.
newestKubectlTest("explain knows every kind that can be read, and all below it", async (kubectl) => {
  const kinds = rows(await kubectl.ok("api-resources --verbs=get"));
  expect(kinds.length).toBeGreaterThan(50);
  for (const kind of kinds) await explains(kubectl, kind);
});

kubectlTest("explain reads the old document too", async ({ ok }) => {
  const old = await ok("explain deployment --recursive --output plaintext-openapiv2");
  expect(old).toMatch(/^ {15}livenessProbe\t<Object>$/m);
  expect(await ok("explain hpa.spec.metrics --output plaintext-openapiv2 --api-version=autoscaling/v2")).toMatch(
    /^RESOURCE: metrics <\[\]Object>$/m,
  );
});

kubectlTest("explain reaches the deepest field, and says what may stand there", async ({ ok }) => {
  const probe = "pods.spec.initContainers.livenessProbe.httpGet.httpHeaders.name";
  expect(await ok(`explain ${probe}`)).toMatch(/FIELD: name <string>/);
  expect(await ok("explain job.spec.podFailurePolicy.rules.onExitCodes.operator")).toMatch(/NotIn/);
  expect(await ok("explain networkpolicy.spec.ingress.from.ipBlock.except")).toMatch(/FIELD: except <\[\]string>/);
  expect(await ok("explain cm.binaryData")).toMatch(/FIELD: binaryData <map\[string\]string>/);
});

async function explains({ ok }: Kubectl, { NAME = "", APIVERSION = "", KIND = "" }: Record<string, string>) {
  const explained = await ok(`explain ${NAME} --api-version=${APIVERSION} --recursive`);
  const [version = "", group] = APIVERSION.split("/").reverse();
  const heads = { KIND, VERSION: version, ...(group ? { GROUP: group } : {}) };
  for (const [head, value] of Object.entries(heads)) expect(explained).toMatch(new RegExp(`^${head}: +${value}$`, "m"));
  expect(explained).toMatch(/^ {2}metadata\t<ObjectMeta>/m);
  expect(explained).toMatch(/^ {4}resourceVersion\t<string>$/m);
}
