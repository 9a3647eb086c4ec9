// Refusals with the messages of a real cluster.
import { expect } from "vitest";
import { newestKubectlTest } from "../each-kubectl.ts";
import { lonePod, manifest } from "../manifests.ts";

newestKubectlTest("what is there already, what is not there, and what may not go", async ({ ok, fails, write }) => {
  await ok("create namespace a");
  expect(await fails("create namespace a")).toBe('Error from server (AlreadyExists): namespaces "a" already exists\n');
  await ok("create deployment web --image=nginx");
  expect(await fails("create deployment web --image=nginx")).toBe(
    'error: failed to create deployment: deployments.apps "web" already exists\n',
  );
  write("pod.yaml", lonePod);
  await ok("create -f pod.yaml");
  expect(await fails("create -f pod.yaml")).toBe(
    'Error from server (AlreadyExists): error when creating "pod.yaml": pods "alone" already exists\n',
  );
  expect(await fails("-n nope create -f pod.yaml")).toBe(
    'Error from server (NotFound): error when creating "pod.yaml": namespaces "nope" not found\n',
  );
  expect(await fails("delete pod nope")).toBe('Error from server (NotFound): pods "nope" not found\n');
  expect(await fails("delete namespace default")).toBe(
    'Error from server (Forbidden): namespaces "default" is forbidden: this namespace may not be deleted\n',
  );
});

newestKubectlTest("an invalid object is refused with every cause", async ({ ok, fails, write }) => {
  write("site.yaml", manifest.replace("      labels:\n        app: site", "      labels:\n        app: other"));
  expect(await fails("create -f site.yaml")).toBe(
    'The Deployment "site" is invalid: spec.template.metadata.labels: Invalid value: {"app":"other"}: ' +
      "`selector` does not match template `labels`\n",
  );
  write(
    "pod.yaml",
    lonePod.replace("name: main", "name: Main").replace("image: nginx", 'image: ""\n    imagePullPolicy: Ever'),
  );
  const refused = await fails("create -f pod.yaml");
  expect(refused).toMatch(/^The Pod "alone" is invalid: \n/);
  expect(refused).toMatch(
    /^\* spec\.containers\[0\]\.name: Invalid value: "Main": a lowercase RFC 1123 label must consist of/m,
  );
  expect(refused).toMatch(/^\* spec\.containers\[0\]\.image: Required value$/m);
  expect(refused).toMatch(
    /^\* spec\.containers\[0\]\.imagePullPolicy: Unsupported value: "Ever": supported values: "Always", "IfNotPresent", "Never"$/m,
  );
  // What was right in that file is there.
  await ok("delete service site");
  write("good.yaml", manifest);
  await ok("create -f good.yaml");
  expect(await fails(`patch deployment site -p '{"spec":{"selector":{"matchLabels":{"app":"x"}}}}'`)).toMatch(
    /^The Deployment "site" is invalid: .*spec\.selector: Invalid value: .*: field is immutable/s,
  );
  expect(await fails("scale deployment/site --replicas=-1")).toContain("must be greater than or equal to 0");
  expect(await fails("create namespace Not_Valid")).toContain(
    'Invalid value: "Not_Valid": a lowercase RFC 1123 label must consist of',
  );
});

newestKubectlTest("an unknown field is refused, warned of or ignored, as asked", async ({ ok, fails, run, write }) => {
  write("site.yaml", manifest.replace("  replicas: 2", "  replicas: 2\n  replicaz: 3"));
  expect(await fails("create -f site.yaml")).toBe(
    'Error from server (BadRequest): error when creating "site.yaml": Deployment in version "v1" cannot be handled as a ' +
      'Deployment: strict decoding error: unknown field "spec.replicaz"\n',
  );
  // The Service of the same file is made.
  await ok("delete service site");
  expect(await run("create -f site.yaml --validate=warn")).toEqual({
    code: 0,
    stdout: "deployment.apps/site created\nservice/site created\n",
    stderr: 'Warning: unknown field "spec.replicaz"\n',
  });
  await ok("delete -f site.yaml");
  expect(await run("create -f site.yaml --validate=ignore")).toMatchObject({ code: 0, stderr: "" });
  write("type.yaml", manifest.replace("replicas: 2", 'replicas: "two"'));
  expect(await fails("create -f type.yaml")).toMatch(
    /^Error from server \(BadRequest\): error when creating "type.yaml": Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32\n/,
  );
});

newestKubectlTest("kinds that are not served are named as such", async ({ fails, write }) => {
  write("crd.yaml", "apiVersion: example.org/v1\nkind: Thing\nmetadata:\n  name: x\n");
  expect(await fails("create -f crd.yaml")).toMatch(
    /no matches for kind "Thing" in version "example\.org\/v1"\nensure CRDs are installed first/,
  );
});

newestKubectlTest("warnings reach the person", async ({ run, write }) => {
  write("pod.yaml", lonePod.replace("spec:", "spec:\n  volumes:\n  - name: old\n    gitRepo:\n      repository: x"));
  const result = await run("create -f pod.yaml --dry-run=server");
  expect(result.stderr).toMatch(/^(Warning: spec\.volumes\[0\]\.gitRepo: deprecated|The Pod "alone" is invalid)/);
});

newestKubectlTest("pods go as asked: gracefully, at once, all, or by label", async ({ ok, run, write }) => {
  write("pod.yaml", lonePod);
  await ok("create -f pod.yaml");
  const forced = await run("delete pod alone --grace-period=0 --force");
  expect(forced.stderr).toContain("Warning: Immediate deletion does not wait for confirmation");
  expect(forced.stdout).toMatch(/^pod "alone" force deleted/);
  for (const name of ["a", "b", "c"]) await ok(`run ${name} --image=nginx --labels=name=${name}`);
  expect(await ok("delete pods -l name=a")).toMatch(/^pod "a" deleted/);
  expect(await ok("delete pods --field-selector metadata.name=b")).toMatch(/^pod "b" deleted/);
  expect(await ok("delete pods --all --now")).toMatch(/^pod "c" deleted/);
  expect(await ok("get pods -o name")).toBe("");
  expect((await run("delete pods --all")).stdout).toBe("No resources found\n");
});
