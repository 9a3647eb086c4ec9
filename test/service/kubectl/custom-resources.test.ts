// A definition of our own and its objects, from their first apply to their end.
import { expect } from "vitest";
import { newestKubectlTest } from "../each-kubectl.ts";

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: backups.storage.example.com
spec:
  group: storage.example.com
  scope: Namespaced
  names: {plural: backups, singular: backup, kind: Backup, shortNames: [bk], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.copies, statusReplicasPath: .status.copies}
    selectableFields:
    - jsonPath: .spec.target
    additionalPrinterColumns:
    - {name: Target, type: string, jsonPath: .spec.target}
    - {name: Copies, type: integer, jsonPath: .spec.copies, priority: 1}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        description: A copy of a volume, kept elsewhere.
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [target]
            x-kubernetes-validations:
            - {rule: "self.copies <= self.maxCopies", message: "copies are bounded by maxCopies"}
            properties:
              target: {type: string, description: Where the copies are kept., enum: [disk, cloud]}
              schedule: {type: string, pattern: '^(\\d+|\\*)(\\s+(\\d+|\\*)){4}$'}
              copies: {type: integer, minimum: 1, default: 1}
              maxCopies: {type: integer, default: 5}
              hooks:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties: {name: {type: string}, command: {type: string}}
          status:
            type: object
            properties: {copies: {type: integer}, phase: {type: string}}
`;

const backup = (spec: string, name = "nightly") =>
  `apiVersion: storage.example.com/v1\nkind: Backup\nmetadata: {name: ${name}}\nspec: ${spec}\n`;

newestKubectlTest("a definition is served at once, with its names, columns and words", async ({ ok, write }) => {
  write("crd.yaml", definition);
  write("backup.yaml", backup("{target: disk, schedule: '0 4 * * *'}"));
  const name = "customresourcedefinition.apiextensions.k8s.io/backups.storage.example.com";
  expect(await ok("apply -f crd.yaml")).toBe(`${name} created\n`);
  expect(await ok("wait --for=condition=Established --timeout=20s -f crd.yaml")).toBe(`${name} condition met\n`);
  expect(await ok("apply -f crd.yaml")).toBe(`${name} unchanged\n`);
  expect(await ok("api-resources --api-group=storage.example.com --no-headers")).toMatch(
    /^backups +bk +storage.example.com\/v1 +true +Backup\n$/,
  );
  expect(await ok("explain backup.spec.target")).toMatch(/FIELD: target <string>[^]+Where the copies are kept\./);
  expect(await ok("apply -f backup.yaml")).toBe("backup.storage.example.com/nightly created\n");
  expect(await ok("apply -f backup.yaml")).toBe("backup.storage.example.com/nightly unchanged\n");
  expect(await ok("get bk")).toMatch(/^NAME +TARGET +AGE\nnightly +disk +\d+s\n$/);
  expect(await ok("get all -o wide")).toMatch(
    /NAME +TARGET +COPIES +AGE\nbackup.storage.example.com\/nightly +disk +1 +/,
  );
  expect(await ok("get bk --field-selector spec.target=cloud -o name")).toBe("");
  expect(await ok("get bk nightly -o jsonpath={.spec.copies}/{.metadata.generation}")).toBe("1/1");
  expect(await ok("scale bk nightly --replicas=3")).toBe("backup.storage.example.com/nightly scaled\n");
  await ok(`patch bk nightly --subresource=status --type=merge -p '{"status":{"phase":"Done"}}'`);
  expect(await ok("get bk nightly -o jsonpath={.spec.copies}/{.status.phase}/{.metadata.generation}")).toBe("3/Done/2");
});

newestKubectlTest("what a definition forbids is refused", async ({ ok, fails, write }) => {
  write("crd.yaml", definition);
  await ok("apply --server-side -f crd.yaml");
  const refuses = async (spec: string, message: string) => {
    write("backup.yaml", backup(spec));
    expect(await fails("create -f backup.yaml")).toContain(message);
  };
  await refuses("{}", "spec.target: Required value");
  await refuses("{target: tape}", 'spec.target: Unsupported value: "tape": supported values: "disk", "cloud"');
  await refuses("{target: disk, copies: 9}", "spec: Invalid value: copies are bounded by maxCopies");
  await refuses("{target: disk, speed: 1}", 'strict decoding error: unknown field "spec.speed"');
  await refuses("{target: disk, schedule: daily}", "spec.schedule in body should match");
  write("backup.yaml", backup("{target: disk}"));
  await ok("create -f backup.yaml");
  expect(await fails(`patch bk nightly --type=strategic -p '{"spec":{}}'`)).toContain(
    "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, " +
      "application/merge-patch+json, application/apply-patch+yaml",
  );
  write("crd.yaml", definition.replace("type: integer, minimum", "type: int, minimum"));
  expect(await fails("apply --server-side -f crd.yaml")).toContain('Unsupported value: "int": supported values: ');
});

newestKubectlTest("two appliers share the list of an object by its keys", async ({ ok, fails, write }) => {
  write("crd.yaml", definition);
  await ok("apply --server-side -f crd.yaml");
  write("one.yaml", backup("{target: disk, hooks: [{name: before, command: sync}]}"));
  write("two.yaml", backup("{target: disk, hooks: [{name: after, command: say}]}"));
  await ok("apply --server-side --field-manager=one -f one.yaml");
  await ok("apply --server-side --field-manager=two -f two.yaml");
  expect(await ok("get bk nightly -o jsonpath={.spec.hooks[*].name}")).toBe("before after");
  write("two.yaml", backup("{target: disk, hooks: [{name: before, command: say}]}"));
  expect(await fails("apply --server-side --field-manager=two -f two.yaml")).toContain(
    'conflict with "one": .spec.hooks[name="before"].command',
  );
});

newestKubectlTest("deleting a definition takes its objects first", async ({ ok, fails, write }) => {
  write("crd.yaml", definition);
  await ok("apply -f crd.yaml");
  write(
    "backup.yaml",
    backup("{target: disk}").replace("{name: nightly}", "{name: nightly, finalizers: [example.com/hold]}"),
  );
  await ok("apply -f backup.yaml");
  await ok("delete crd backups.storage.example.com --wait=false");
  await ok("wait --for=condition=Terminating --timeout=20s crd/backups.storage.example.com");
  write("other.yaml", backup("{target: disk}", "other"));
  expect(await fails("create -f other.yaml")).toContain(
    "create not allowed while custom resource definition is terminating",
  );
  await ok(`patch bk nightly --type=json -p '[{"op":"remove","path":"/metadata/finalizers"}]'`);
  await ok("wait --for=delete --timeout=30s crd/backups.storage.example.com");
  // A kubectl that still has the old list of resources is answered too, in other words.
  expect(await fails("get backups")).toMatch(
    /doesn't have a resource type "backups"|could not find the requested resource/,
  );
});
