// The mapping of changes to requests, and the memory of controllers.
import { expect, test } from "vitest";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import type { OwnerReference } from "../../shared/k8s/api/meta-v1.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { replicaSets } from "../../worker/kinds/apps/replica-set.ts";
import type { Client } from "../../worker/registry/client.ts";
import { controllerOwner, defineController, watch } from "../../worker/runtime/controller.ts";
import { newBed } from "./bed.ts";

function reference(name: string, more: Partial<OwnerReference> = {}): OwnerReference {
  return { apiVersion: "apps/v1", kind: "ReplicaSet", name, uid: name, controller: true, ...more };
}

function ownedBy(...ownerReferences: OwnerReference[]): Pod {
  const metadata = { namespace: "default", name: "p", ownerReferences };
  return { apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [] }, status: {} };
}

function requestsOf(next: Pod | undefined, previous: Pod | undefined): string[] {
  // The mapping does not use the client.
  const none = {} as Client;
  return [...controllerOwner(pods, replicaSets).requests(next, previous, none, undefined)].map(
    ({ namespace, name }) => `${namespace}/${name}`,
  );
}

test("Q9: the controlling owner among several is requested, at any position", () => {
  const plain = reference("plain", { controller: false });
  expect(requestsOf(ownedBy(plain, reference("web")), undefined)).toEqual(["default/web"]);
  expect(requestsOf(ownedBy(plain), undefined)).toEqual([]);
});

test("Q9: an owner of another kind or group is not requested", () => {
  expect(requestsOf(ownedBy(reference("web", { kind: "StatefulSet" })), undefined)).toEqual([]);
  expect(requestsOf(ownedBy(reference("web", { apiVersion: "example.com/v1" })), undefined)).toEqual([]);
});

test("Q9: both owners are requested when the owner changes, and an unchanged one once", () => {
  expect(requestsOf(ownedBy(reference("new")), ownedBy(reference("old")))).toEqual(["default/new", "default/old"]);
  expect(requestsOf(ownedBy(reference("web")), ownedBy(reference("web")))).toEqual(["default/web"]);
  expect(requestsOf(undefined, ownedBy(reference("web")))).toEqual(["default/web"]);
});

test("Q8: a controller's memory is created for each cluster, and shared by its mappers and reconcile", () => {
  const calls: string[][] = [];
  const remembering = defineController({
    name: "remembering",
    component: "test",
    memory: () => [] as string[],
    watches: [
      watch(configMaps, function* (next, _previous, _client, memory: string[]) {
        memory.push(next?.metadata.name ?? "");
        yield { namespace: "", name: "all" };
      }),
    ],
    reconcile(_, { memory }) {
      calls.push([...memory]);
      return undefined;
    },
  });
  for (const name of ["one", "two"]) {
    const bed = newBed([remembering]);
    bed.create(configMaps, name);
    bed.drain();
    expect(bed.now().runtime.memoryOf(remembering)).toEqual([name]);
  }
  expect(calls).toEqual([["one"], ["two"]]);
});
