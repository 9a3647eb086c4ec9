// Users of a sandbox: tokens with groups and roles, client certificates, and anonymous requests.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tokenList, userToken } from "../../../shared/contract/token.ts";
import { certificateRequest } from "../../certificate-request.ts";
import { newestKubectlTest } from "../each-kubectl.ts";
import type { Kubectl } from "../kubectl.ts";
import { control, newSandbox } from "../sandbox.ts";

const roles = `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: default}
rules:
- {apiGroups: [""], resources: [pods], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: readers, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects:
- {apiGroup: rbac.authorization.k8s.io, kind: Group, name: devs}
`;

async function tokenOf({ sandbox }: Pick<Kubectl, "sandbox">, body: object) {
  const response = await control(sandbox.service, `/v1/sandboxes/${sandbox.id}/tokens`, {
    method: "POST",
    body: JSON.stringify(body),
  });
  return userToken.parse(await response.json());
}

newestKubectlTest("a token of a user may what roles grant that user's groups, until it is revoked", async (kubectl) => {
  const { ok, fails, run, write, sandbox, minor } = kubectl;
  const { id, token } = await tokenOf(kubectl, { user: "ada", groups: ["devs"] });
  const ada = `--token ${token}`;
  if (minor >= 28) {
    expect(await ok(`auth whoami ${ada}`)).toMatch(/Username +ada\nGroups +\[devs system:authenticated\]/);
  }
  expect(await fails(`get pods ${ada}`)).toContain('pods is forbidden: User "ada" cannot list resource "pods"');
  write("roles.yaml", roles);
  expect(await ok("auth reconcile -f roles.yaml")).toMatch(
    /role.*reader reconciled[\s\S]*rolebinding.*readers reconciled/,
  );
  expect(await ok("auth reconcile -f roles.yaml")).toMatch(/reader (unchanged|reconciled)/);
  expect(await ok(`auth can-i --list ${ada}`)).toMatch(/^pods +\[\] +\[\] +\[get list\]$/m);
  expect((await run(`get pods ${ada}`)).code).toBe(0);
  expect(await ok("auth can-i list pods --as ada --as-group devs")).toBe("yes\n");
  expect((await run("auth can-i delete pods --as ada --as-group devs")).stdout).toBe("no\n");
  // She may be no one else.
  expect(await fails(`get pods --as bob ${ada}`)).toContain(
    'User "ada" cannot impersonate-on:user-info:list resource "pods"',
  );
  expect(await ok(`get --raw /version ${ada}`)).toContain("gitVersion");
  const path = `/v1/sandboxes/${sandbox.id}/tokens`;
  const { tokens } = tokenList.parse(await (await control(sandbox.service, path)).json());
  expect(tokens.map(({ user, id: tokenId }) => [user, tokenId])).toEqual([["ada", id]]);
  expect((await control(sandbox.service, `${path}/${id}`, { method: "DELETE" })).status).toBe(204);
  expect(await fails(`get pods ${ada}`)).toContain("must be logged in to the server");
});

newestKubectlTest("a rotated token is refused, and what it had opened ends", async (kubectl) => {
  const { ok, fails, start, write, sandbox, folder } = kubectl;
  const path = `/v1/sandboxes/${sandbox.id}`;
  const kubeconfig = async (method: string, at: string) => {
    const headers = { accept: "application/yaml" };
    return (await control(sandbox.service, `${path}${at}`, { method, headers })).text();
  };
  write("old.yaml", await kubeconfig("GET", ""));
  const old = `--kubeconfig ${join(folder, "old.yaml")}`;
  await ok(`create configmap first ${old}`);
  const watch = start(`get configmaps --watch ${old}`);
  await watch.until(/first/);
  write("new.yaml", await kubeconfig("POST", "/rotate"));
  expect((await watch.ended).code).not.toBeNull();
  expect(await fails(`get configmaps ${old}`)).toContain("must be logged in to the server");
  expect(await ok(`get configmaps --kubeconfig ${join(folder, "new.yaml")}`)).toContain("first");
});

newestKubectlTest("a signed certificate makes its holder the user that it names", async (kubectl) => {
  const { fails, ok, write, folder, sandbox } = kubectl;
  const file = (name: string) => join(folder, name);
  const { request, key } = certificateRequest("/O=devs/CN=ada");
  writeFileSync(file("key.pem"), key);
  writeFileSync(
    file("csr.yaml"),
    `apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: ada}
spec: {request: ${btoa(request)}, signerName: kubernetes.io/kube-apiserver-client, usages: [client auth]}
`,
  );
  await ok("create -f csr.yaml");
  await ok("certificate approve ada");
  const issued = await ok("get csr ada -o jsonpath={.status.certificate}");
  writeFileSync(file("ada.pem"), Buffer.from(issued, "base64"));
  writeFileSync(
    file("ada.kubeconfig"),
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "x",
      clusters: [{ name: "x", cluster: { server: sandbox.server, "insecure-skip-tls-verify": true } }],
      users: [{ name: "x", user: { "client-certificate": file("ada.pem"), "client-key": file("key.pem") } }],
      contexts: [{ name: "x", context: { cluster: "x", user: "x" } }],
    }),
  );
  const ada = `--kubeconfig ${file("ada.kubeconfig")}`;
  expect(await fails(`${ada} get pods`)).toContain('pods is forbidden: User "ada" cannot list resource "pods"');
  write("roles.yaml", roles);
  await ok("apply -f roles.yaml");
  await ok(`${ada} get pods`);
  expect(await fails(`${ada} get secrets`)).toContain('secrets is forbidden: User "ada" cannot list');
});

test("A1: a sandbox with anonymous access shows anonymous requests the public paths and nothing else", async () => {
  const { http } = await newSandbox({ anonymousAccess: true, nodes: 0 });
  const status = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(http + path, { headers });
    return [answer.status, await answer.text()] as const;
  };
  for (const path of ["/healthz", "/livez", "/readyz", "/version"]) expect((await status(path))[0]).toBe(200);
  const [code, text] = await status("/api/v1/secrets?watch=1");
  expect([code, JSON.parse(text)]).toMatchObject([
    403,
    {
      message:
        'secrets is forbidden: User "system:anonymous" cannot watch resource "secrets" in API group "" at the cluster scope',
    },
  ]);
  expect((await status("/healthz", { authorization: "Bearer x" }))[0]).toBe(401);
});
