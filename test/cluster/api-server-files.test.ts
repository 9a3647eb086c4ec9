// The files that the API server's flags name, and the errors of upstream 1.36 about them.
import { expect, test } from "vitest";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { auditDecision, readAuditPolicy } from "../../shared/k8s/audit/policy.ts";
import { serverSettings } from "../../worker/cluster/control-plane/server-settings.ts";
import { encryptionKeyOf, readEncryptionConfig } from "../../worker/containers/node/encryption-config.ts";

const policyHead = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";
const scheme = 'in scheme "pkg/audit/scheme.go:30"';

test.each([
  ["", "unknown group version field audit.k8s.io/__internal, Kind=Policy in policy"],
  ["kind: Policy\n", "unknown group version field audit.k8s.io/__internal, Kind=Policy in policy"],
  [
    "kind: Pod\n",
    `failed decoding: no kind "Pod" is registered for the internal version of group "audit.k8s.io" ${scheme}`,
  ],
  [
    "apiVersion: audit.k8s.io/v1beta1\nkind: Policy\n",
    `failed decoding: no kind "Policy" is registered for version "audit.k8s.io/v1beta1" ${scheme}`,
  ],
  ["{", "failed decoding: couldn't get version/kind; json parse error: unexpected end of JSON input"],
  ["a: b: c", "failed decoding: yaml: mapping values are not allowed in this context"],
  [
    "- a\n",
    'failed decoding: couldn\'t get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
  ],
  [
    `${policyHead}rules: [{level: None, users: jane}]\n`,
    "failed decoding: json: cannot unmarshal string into Go struct field PolicyRule.rules.users of type []string",
  ],
  [
    `${policyHead}rules: [{level: None, resources: [secrets]}]\n`,
    "failed decoding: json: cannot unmarshal string into Go struct field PolicyRule.rules.resources of type v1.GroupResources",
  ],
  [
    `${policyHead}omitStages: [Started]\nrules: [{}]\n`,
    '[omitStages[0]: Invalid value: "Started": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic, rules[0].level: Required value]',
  ],
  [`${policyHead}#${"x".repeat(100_000)}`, "failed decoding: the policy is longer than 100000 characters"],
])("an audit policy with an error is refused: %#", (text, error) => {
  expect(readAuditPolicy(text, "/p.yaml")).toBe(`${error}: from file /p.yaml`);
});

test("a rule of an audit policy with the group * matches resources of every group", () => {
  const text = `apiVersion: audit.k8s.io/v1\nrules: [{level: Request, resources: [{group: "*", resources: [deployments]}]}]\n`;
  const policy = readAuditPolicy(text, "/p.yaml");
  if (typeof policy === "string") throw new Error(policy);
  const user = { name: "jane", groups: [] };
  const request = { user, isResource: true, verb: "get", path: "", subresource: "", namespace: "a", name: "b" };
  expect(auditDecision(policy, { ...request, group: "apps", plural: "deployments" }).level).toBe("Request");
  expect(auditDecision(policy, { ...request, group: "apps", plural: "daemonsets" }).level).toBe("None");
});

const head = "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\n";
const config = (resources: string, provider = "{identity: {}}") =>
  `${head}resources: [{resources: [${resources}], providers: [${provider}]}]\n`;
const parsing = "error while parsing file: ";
const decoding = `${parsing}error decoding encryption provider configuration file "/e.yaml": `;

test.each([
  ["", `${parsing}error while loading file: encryption provider configuration file "/e.yaml" is empty`],
  ["apiVersion: v1\n", `${decoding}Object 'Kind' is missing in 'apiVersion: v1\n'`],
  ["kind: Secret\n", `${decoding}Object 'apiVersion' is missing in 'kind: Secret\n'`],
  [
    "apiVersion: v1\nkind: EncryptionConfig\n",
    `${decoding}no kind "EncryptionConfig" is registered for version "v1" in scheme "pkg/server/options/encryptionconfig/config.go:142"`,
  ],
  [`${head}resource: []\n`, `${decoding}strict decoding error: unknown field "resource"`],
  [
    config("secrets", "{aescbc: {key: []}}, {indentity: {}}"),
    `${decoding}strict decoding error: unknown field "resources[0].providers[0].aescbc.key", unknown field "resources[0].providers[1].indentity"`,
  ],
  [
    config("secrets", "{aescbc: []}"),
    `${decoding}json: cannot unmarshal array into Go struct field ProviderConfiguration.resources.providers.aescbc of type v1.AESConfiguration`,
  ],
  [head, `${parsing}resources: Required value: at least one resources is required`],
  [
    config("secrets", "{}"),
    `${parsing}resources[0].providers[0]: Invalid value: {"AESGCM":null,"AESCBC":null,"Secretbox":null,"Identity":null,"KMS":null}: provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity`,
  ],
  [
    config("secrets, secrets"),
    `${parsing}resources[0].resources: Invalid value: ["secrets","secrets"]: the same resource cannot be specified multiple times`,
  ],
  [
    config("secrets, '*.'"),
    `${parsing}resources[0].resources: Invalid value: ["secrets","*."]: using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked`,
  ],
  [
    config("'pods.*'"),
    `${parsing}resources[0].resources[0]: Invalid value: "pods.*": encrypting the same resource across groups is not supported`,
  ],
  [
    `${head}resources:\n- {resources: ['*.'], providers: [{identity: {}}]}\n- {resources: [secrets], providers: [{identity: {}}]}\n`,
    'error while building transformers: resource "secrets" is masked by earlier rule "*."',
  ],
  [config("secrets", "{kms: {name: a}}"), "KMS providers are not simulated"],
  [`${head}#${"x".repeat(100_000)}`, `${parsing}the file is longer than 100000 characters`],
])("an encryption configuration with an error is refused: %#", (text, error) => {
  expect(readEncryptionConfig(text, "/e.yaml")).toContain(error);
});

test("the first entry with a resource decides how it is encrypted", () => {
  const key = btoa("0123456789abcdef");
  const text = `${head}resources:
- {resources: [events], providers: [{identity: {}}]}
- {resources: ['*.apps'], providers: [{aesgcm: {keys: [{name: a, secret: ${key}}]}}, {identity: {}}]}
- {resources: ['*.*'], providers: [{aescbc: {keys: [{name: b, secret: ${key}}]}}]}\n`;
  const entries = readEncryptionConfig(text, "/e.yaml");
  if (typeof entries === "string") throw new Error(entries);
  expect(encryptionKeyOf(entries, "", "events")).toBeUndefined();
  expect(encryptionKeyOf(entries, "apps", "deployments")).toEqual({ provider: "aesgcm", name: "a", secret: key });
  expect(encryptionKeyOf(entries, "", "secrets")).toEqual({ provider: "aescbc", name: "b", secret: key });
});

test("an API server has its files as they were when it started, even if its settings are read later", () => {
  const pod = {
    metadata: { name: "kube-apiserver-node-1", namespace: "kube-system" },
    spec: {
      containers: [
        {
          name: "kube-apiserver",
          command: ["kube-apiserver", "--audit-policy-file=/audit/policy.yaml", "--audit-log-path=/audit/log"],
          volumeMounts: [{ name: "audit", mountPath: "/audit" }],
        },
      ],
      nodeName: "node-1",
      volumes: [{ name: "audit", hostPath: { path: "/etc/audit" } }],
    },
  } as unknown as Pod; // only the fields that are read
  const write = (atMs: number, level: string) => ({
    atMs,
    path: "/etc/audit/policy.yaml",
    text: `${policyHead}rules: [{level: ${level}}]\n`,
  });
  const startedAt = "2026-01-01T00:00:10Z";
  const startMs = Date.parse(startedAt);
  const { audit } = serverSettings(pod, startedAt, [write(startMs - 1000, "Metadata"), write(startMs + 5000, "None")]);
  expect(audit?.path).toBe("/etc/audit/log");
  expect(audit?.policy.rules.map(({ level }) => level)).toEqual(["Metadata"]);
});
