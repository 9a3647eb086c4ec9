// The distribution of endpoints over slices (upstream: reconciler_test.go).
import { describe, expect, test } from "vitest";
import type { Endpoint, EndpointSlice } from "../../../shared/k8s/api/discovery-v1.ts";
import { planSlices } from "../../../worker/controllers/endpoint-slice/slices.ts";

const endpoint = (at: number, ready = true): Endpoint => ({
  addresses: [`10.0.0.${at}`],
  conditions: { ready, serving: ready, terminating: false },
  targetRef: { kind: "Pod", namespace: "default", name: `web-${at}`, uid: `uid-${at}` },
});
const endpoints = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => endpoint(from + at));
const slice = (name: string, list: Endpoint[]): EndpointSlice => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name },
  addressType: "IPv4",
  endpoints: list,
  ports: [],
});
const labels = { labels: { app: "web" }, differ: () => false };
const sizes = (slices: readonly EndpointSlice[]) =>
  slices.map(({ metadata, endpoints: list = [] }) => [metadata.name, list.length]);

describe("minimal writes of slices", () => {
  test("without changes, nothing is written", () => {
    const plan = planSlices([slice("a", endpoints(0, 3))], endpoints(0, 3), labels, 5);
    expect(plan).toEqual({ create: [], update: [], delete: [] });
  });
  test("a changed condition rewrites only its slice", () => {
    const plan = planSlices(
      [slice("a", endpoints(0, 3)), slice("b", endpoints(3, 6))],
      [...endpoints(0, 5), endpoint(5, false)],
      labels,
      5,
    );
    expect(sizes(plan.update)).toEqual([["b", 3]]);
    expect(plan.update[0]?.endpoints?.[2]?.conditions.ready).toBe(false);
  });
  test("an empty slice is deleted", () => {
    const plan = planSlices([slice("a", endpoints(0, 2)), slice("b", endpoints(2, 4))], endpoints(0, 2), labels, 5);
    expect(plan.delete.map(({ metadata }) => metadata.name)).toEqual(["b"]);
    expect(plan.update).toEqual([]);
  });
  test("slices that are written anyway are filled first, starting with the fullest", () => {
    const before = [slice("a", endpoints(0, 3)), slice("b", endpoints(3, 7)), slice("c", endpoints(7, 9))];
    // One endpoint is removed from a and one from b; others are added.
    const after = [...endpoints(1, 6), ...endpoints(7, 9), ...endpoints(20, 23)];
    const plan = planSlices(before, after, labels, 5);
    expect(sizes(plan.update)).toEqual([
      ["b", 5],
      ["a", 3],
    ]);
    expect(plan.create).toEqual([]);
  });
  test("a single untouched slice takes the rest if it fits", () => {
    const before = [slice("a", endpoints(0, 1)), slice("b", endpoints(1, 4))];
    const plan = planSlices(before, [...endpoints(0, 4), ...endpoints(10, 12)], labels, 5);
    expect(sizes(plan.update)).toEqual([["b", 5]]);
    expect(plan.create).toEqual([]);
  });
  test("the remaining endpoints get new slices, full ones first", () => {
    const plan = planSlices([slice("a", endpoints(0, 4))], endpoints(0, 15), labels, 5);
    expect(plan.create.map((list) => list.length)).toEqual([5, 5]);
    expect(sizes(plan.update)).toEqual([["a", 5]]);
    expect(planSlices([], endpoints(0, 12), labels, 5).create.map((list) => list.length)).toEqual([5, 5, 2]);
  });
  test("changed labels of the Service rewrite slices without moving endpoints", () => {
    const plan = planSlices(
      [slice("a", endpoints(0, 2))],
      endpoints(0, 2),
      { labels: { app: "x" }, differ: () => true },
      5,
    );
    expect(plan.update.map(({ metadata }) => metadata.labels)).toEqual([{ app: "x" }]);
    expect(sizes(plan.update)).toEqual([["a", 2]]);
  });
});
