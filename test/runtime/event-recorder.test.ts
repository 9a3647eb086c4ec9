// The event recorder: new and repeated events in both forms, and events that cannot be written.
import { describe, expect, test } from "vitest";
import type { Event } from "../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { rfc3339, rfc3339Micro } from "../../shared/k8s/time.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { events } from "../../worker/kinds/core/event/event.ts";
import { namespaces } from "../../worker/kinds/core/namespace.ts";
import type { Client } from "../../worker/registry/client.ts";
import { eventRecorder } from "../../worker/runtime/event-recorder.ts";
import { overridden } from "../overridden.ts";
import { newBed } from "./bed.ts";

const minuteMs = 60_000;

function recording() {
  const bed = newBed([]);
  const client = bed.now().system;
  const from = (component: string, by: Client = client) =>
    eventRecorder(by, events, component, () => bed.clock.nowMs());
  const about = (name: string) => bed.create(configMaps, name, { data: { of: name } });
  return { bed, client, from, about, event: from("tester"), all: () => client.list<Event>(events) };
}

const briefly = (all: readonly Event[]) =>
  all.map(({ reason, message, count }) => `${reason ?? ""}: ${message ?? ""} x${count ?? 0}`);

describe("an event", () => {
  test("E1: has its object, reporter and time, and a name from the object and the time", () => {
    const { bed, event, about, all } = recording();
    const object = about("web");
    event(object, "Warning", "Failed", "it failed", { host: "node-1", fieldPath: "spec.containers{a}" });
    const { namespace, name, uid, resourceVersion } = object.metadata;
    const time = rfc3339(bed.clock.nowMs());
    expect(all()).toHaveLength(1);
    expect(all()[0]).toMatchObject({
      metadata: { namespace: "default", name: `web.${(BigInt(bed.clock.nowMs()) * 1_000_000n).toString(16)}` },
      involvedObject: {
        kind: "ConfigMap",
        apiVersion: "v1",
        namespace,
        name,
        uid,
        resourceVersion,
        fieldPath: "spec.containers{a}",
      },
      type: "Warning",
      reason: "Failed",
      message: "it failed",
      source: { component: "tester", host: "node-1" },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
      reportingComponent: "tester",
      reportingInstance: "node-1",
    });
  });

  test("E1: has no host and field path by default, and an event about a cluster-scoped object is in the namespace default", () => {
    const { bed, event, client, all } = recording();
    client.create(namespaces, { metadata: { name: "shop" } });
    const object = client.get(namespaces, "", "shop");
    if (object) event(object, "Normal", "Made", "it was made");
    const [created] = all();
    expect(created).toMatchObject({
      metadata: { namespace: "default" },
      source: { component: "tester" },
      reportingInstance: "",
    });
    expect([Object.keys(created?.source ?? {}), "fieldPath" in (created?.involvedObject ?? {})]).toEqual([
      ["component"],
      false,
    ]);
    expect("namespace" in (created?.involvedObject ?? {})).toBe(false);
    expect(bed.reports).toEqual([]);
  });

  test("E1: at the same moment as others has its own name, in order", () => {
    const { event, about, all } = recording();
    const object = about("web");
    for (const reason of ["A", "B", "C"]) event(object, "Normal", reason, "said");
    expect(all().map(({ reason }) => reason)).toEqual(["A", "B", "C"]);
    const nanos = all().map(({ metadata }) => BigInt(`0x${metadata.name?.split(".")[1] ?? ""}`));
    expect([(nanos[1] ?? 0n) - (nanos[0] ?? 0n), (nanos[2] ?? 0n) - (nanos[1] ?? 0n)]).toEqual([1000n, 1000n]);
  });

  test("E1: with a long message is cut at 1024 characters, and counted when repeated", () => {
    const { event, about, all } = recording();
    const object = about("web");
    for (const last of ["a", "b"]) event(object, "Normal", "Long", "x".repeat(1024) + last);
    expect(all().map(({ message, count }) => [message?.length, count])).toEqual([[1024, 2]]);
  });

  test("E1: with a long name is cut so that the time fits", () => {
    const { event, about, all } = recording();
    const name = "n".repeat(250);
    event(about(name), "Normal", "Long", "said");
    expect(all()[0]?.metadata.name).toMatch(/^n{236}\.[0-9a-f]{16}$/);
    expect(all()[0]?.involvedObject.name).toBe(name);
  });
});

describe("a repeated event", () => {
  test("E1: is counted, with its last time, and stays the same object", () => {
    const { bed, event, about, all } = recording();
    const object = about("web");
    const startMs = bed.clock.nowMs();
    for (let at = 0; at < 3; at++) {
      event(object, "Normal", "Made", "it was made");
      bed.clock.step(minuteMs);
    }
    expect(briefly(all())).toEqual(["Made: it was made x3"]);
    expect(all()[0]).toMatchObject({
      firstTimestamp: rfc3339(startMs),
      lastTimestamp: rfc3339(startMs + 2 * minuteMs),
    });
  });

  test("E1: with another object, source, host, type or reason is a new event", () => {
    const { event, from, about, all } = recording();
    const object = about("web");
    const again = about("web2");
    event(object, "Normal", "Made", "said");
    event(again, "Normal", "Made", "said");
    from("other")(object, "Normal", "Made", "said");
    event(object, "Normal", "Made", "said", { host: "a" });
    event(object, "Warning", "Made", "said");
    event(object, "Normal", "Other", "said");
    expect(all().map(({ count }) => count)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test("E1: about a later object with the same name is a new event", () => {
    const { bed, event, about, all } = recording();
    event(about("web"), "Normal", "Made", "said");
    bed.remove(configMaps, "web");
    event(about("web"), "Normal", "Made", "said");
    expect(all().map(({ count }) => count)).toEqual([1, 1]);
  });

  test("E1: is combined from the tenth similar one on, without a reporter", () => {
    const { bed, event, about, all } = recording();
    const object = about("web");
    for (let at = 1; at <= 12; at++) {
      event(object, "Normal", "Made", `pod ${at}`);
      bed.clock.step(1000);
    }
    const combined = all().filter(({ message }) => message?.startsWith("(combined from similar events): "));
    expect(all()).toHaveLength(10);
    expect(combined).toMatchObject([
      { message: "(combined from similar events): pod 12", count: 3, reportingComponent: "", reportingInstance: "" },
    ]);
  });

  test("E1: is cut when combined", () => {
    const { event, about, all } = recording();
    const object = about("web");
    for (let at = 1; at <= 10; at++) event(object, "Normal", "Made", `${at} ${"x".repeat(1100)}`);
    expect(all().map(({ message }) => message?.length)).toEqual(Array.from({ length: 10 }, () => 1024));
    expect(all().at(-1)?.message).toMatch(/^\(combined from similar events\): 10 x+$/);
  });

  test("E1: is dropped past twenty-five, except one in five minutes", () => {
    const { bed, event, about, all } = recording();
    const object = about("web");
    for (let at = 0; at < 100; at++) event(object, "Normal", "Made", "said");
    expect(briefly(all())).toEqual(["Made: said x25"]);
    bed.clock.step(5 * minuteMs);
    for (let at = 0; at < 10; at++) event(object, "Normal", "Made", "said");
    expect(briefly(all())).toEqual(["Made: said x26"]);
  });
});

describe("an event with an action", () => {
  const options = { action: "Binding" };

  test("E2: has the form of events.k8s.io", () => {
    const { bed, event, about, all } = recording();
    const [object, related] = [about("web"), about("node")];
    event(object, "Normal", "Scheduled", "it was bound", { ...options, related });
    expect(all()).toHaveLength(1);
    expect(all()[0]).toMatchObject({
      metadata: { namespace: "default", name: `web.${(BigInt(bed.clock.nowMs()) * 1_000_000n).toString(16)}` },
      involvedObject: { kind: "ConfigMap", name: "web", uid: object.metadata.uid },
      related: { kind: "ConfigMap", name: "node", uid: related.metadata.uid },
      type: "Normal",
      reason: "Scheduled",
      action: "Binding",
      message: "it was bound",
      eventTime: rfc3339Micro(bed.clock.nowMs()),
      reportingComponent: "tester",
      reportingInstance: "tester-control-plane",
    });
    expect([all()[0]?.count, all()[0]?.firstTimestamp, all()[0]?.series]).toEqual([undefined, null, undefined]);
  });

  test("E2: repeated within six minutes is a series, whatever its message; later it is new", () => {
    const { bed, event, about, all } = recording();
    const object = about("web");
    const again = (message: string, afterMs: number) => {
      bed.clock.step(afterMs);
      event(object, "Warning", "FailedScheduling", message, options);
    };
    again("one", 0);
    again("two", 6 * minuteMs);
    again("three", 6 * minuteMs);
    expect(all()).toMatchObject([
      { message: "one", series: { count: 3, lastObservedTime: rfc3339Micro(bed.clock.nowMs()) } },
    ]);
    again("four", 6 * minuteMs + 1);
    expect(all()).toMatchObject([{ message: "one", series: { count: 3 } }, { message: "four" }]);
    again("five", minuteMs);
    expect(all()).toMatchObject([{ series: { count: 3 } }, { message: "four", series: { count: 2 } }]);
  });

  test("E2: with another type, reason, action, source, object or related object is a new event", () => {
    const { event, from, about, all } = recording();
    const [object, related] = [about("web"), about("node")];
    event(object, "Normal", "A", "said", options);
    event(object, "Warning", "A", "said", options);
    event(object, "Normal", "B", "said", options);
    event(object, "Normal", "A", "said", { action: "Other" });
    from("other")(object, "Normal", "A", "said", options);
    event(related, "Normal", "A", "said", options);
    event(object, "Normal", "A", "said", { ...options, related });
    expect(all().map(({ series }) => series)).toEqual(all().map(() => undefined));
    expect(all()).toHaveLength(7);
  });

  test("E2: with a long name is cut so that the time fits", () => {
    const { event, about, all } = recording();
    event(about("n".repeat(250)), "Normal", "A", "said", options);
    expect(all()[0]?.metadata.name).toMatch(/^n{236}\.[0-9a-f]{16}$/);
  });

  test("E2: with a long message is cut, and an event about a cluster-scoped object is in the namespace default", () => {
    const { event, client, all } = recording();
    const object: KubeObject = client.create(namespaces, { metadata: { name: "shop" } });
    event(object, "Normal", "A", "x".repeat(2000), options);
    expect(all()[0]).toMatchObject({ metadata: { namespace: "default" }, message: "x".repeat(1024) });
  });
});

describe("an event that cannot be written", () => {
  test("E3: is dropped if it is rejected, and the reconcile continues; a bug is not dropped", () => {
    const { client, from, about, all } = recording();
    const object = about("web");
    const failing = (error: Error) =>
      from(
        "tester",
        overridden(client, {
          create: () => {
            throw error;
          },
        }),
      );
    failing(ApiError.badRequest("its namespace is going"))(object, "Normal", "A", "said");
    expect(all()).toEqual([]);
    expect(() => failing(new TypeError("a bug"))(object, "Normal", "A", "said")).toThrow("a bug");
  });
});
