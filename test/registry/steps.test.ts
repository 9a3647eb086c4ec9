// The steps of a write: their order for each verb, and the requests to admission.
import { describe, expect, test } from "vitest";
import type { Deployment } from "../../shared/k8s/api/apps-v1.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { Behaviour, Kind } from "../../worker/kinds/kind.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../../worker/registry/admission.ts";
import { act } from "../../worker/registry/act.ts";
import { create } from "../../worker/registry/create.ts";
import { remove } from "../../worker/registry/delete.ts";
import { type Transform, update } from "../../worker/registry/update.ts";
import { admissionRequest } from "../../worker/registry/admission-chain.ts";
import { contextOf } from "../../worker/registry/registry.ts";
import { groupVersionKind } from "../../worker/registry/group-version-kind.ts";
import { actor, deploymentKind, draftOf, newBed, refusal } from "./bed.ts";

const web = { metadata: { name: "web" } };

/** Returns a kind and a plugin that record their calls. */
function recorded(more: Partial<Behaviour<Deployment>> = {}) {
  const steps: string[] = [];
  const requests: AdmissionRequest[] = [];
  const note = (step: string) => void steps.push(step);
  const kind = deploymentKind({
    defaults: () => note("defaults"),
    authorizeWrite: () => note("authorizeWrite"),
    prepareForCreate: () => note("prepareForCreate"),
    prepareForUpdate: () => note("prepareForUpdate"),
    raisesGeneration: () => false,
    validate: () => {
      note("validate");
      return [];
    },
    warnings: () => {
      note("warnings");
      return ["take care"];
    },
    deletion: {
      gracePeriodSeconds: () => {
        note("gracePeriodSeconds");
        return 0;
      },
    },
    actions: {
      rollback: {
        type: "io.k8s.api.core.v1.Binding",
        check: () => note("check"),
        run: () => {
          note("run");
          return {};
        },
      },
    },
    ...more,
  });
  const plugin: AdmissionPlugin = {
    name: "Note",
    mutate: (request) => {
      note("mutate");
      requests.push(request);
    },
    validate: (request) => {
      note("admit");
      requests.push(request);
    },
  };
  const bed = newBed([kind], { plugins: () => [plugin] });
  const of = (write: () => unknown): readonly string[] => {
    steps.length = 0;
    requests.length = 0;
    write();
    return [...steps];
  };
  return { bed, kind, requests, of };
}

describe("R8: the order of steps of a write", () => {
  test("is fixed for a create", () => {
    const { bed, kind, of } = recorded();
    expect(of(() => bed.create(kind, web))).toEqual([
      ...["defaults", "mutate", "authorizeWrite", "prepareForCreate", "validate", "warnings", "admit"],
    ]);
    expect(bed.warnings).toEqual(["take care"]);
  });

  test("is fixed for an update", () => {
    const { bed, kind, of } = recorded();
    bed.create(kind, web);
    const steps = of(() =>
      bed.edit(kind, "web", ({ spec }) => {
        spec.replicas = 2;
      }),
    );
    expect(steps).toEqual([
      ...["defaults", "mutate", "authorizeWrite", "prepareForUpdate", "validate", "warnings", "admit"],
    ]);
    expect(bed.warnings).toEqual(["take care", "take care"]);
  });

  test("excludes warnings without a receiver", () => {
    const { bed, kind } = recorded({ deletion: { orphanWarning: "they stay" } });
    const target = { namespace: "default", name: "web", subresource: "" };
    create(bed.registry, kind, "default", draftOf(kind, web), actor);
    update(bed.registry, kind, target, draftOf(kind, { ...web, spec: { replicas: 2 } }), actor);
    expect(remove(bed.registry, kind as Kind, "default", "web", {}, actor).removed).toBe(true);
    expect(bed.warnings).toEqual([]);
  });

  test("excludes authorization and warnings of the object for a subresource", () => {
    const { bed, kind, of } = recorded();
    bed.create(kind, web);
    const steps = of(() => bed.edit(kind, "web", () => undefined, { subresource: "status" }));
    expect(steps).toEqual(["defaults", "mutate", "admit"]);
  });

  test("has the deletion mark before validating admission", () => {
    const { bed, kind, of } = recorded();
    bed.create(kind, web);
    expect(of(() => bed.remove(kind, "web"))).toEqual(["mutate", "gracePeriodSeconds", "admit"]);
  });

  test("is fixed for a POST to a subresource", () => {
    const { bed, kind, of } = recorded();
    bed.create(kind, web);
    const target = { namespace: "default", name: "web", subresource: "rollback" };
    expect(of(() => act(bed.registry, kind, target, {}, actor))).toEqual(["mutate", "check", "admit", "run"]);
  });

  test("ends at a rejecting step, and stores nothing", () => {
    for (const refusing of ["defaults", "authorizeWrite", "prepareForCreate", "validate"] as const) {
      const { bed, kind } = recorded({
        [refusing]: () => {
          throw ApiError.badRequest("no");
        },
      });
      expect(refusal(() => bed.create(kind, web))).toEqual([400, "BadRequest", "no"]);
      expect(bed.registry.store.revision).toBe(0);
    }
  });

  test("ends with a 422 of the kind and the name for an invalid object, without warnings", () => {
    const error = { type: "FieldValueInvalid" as const, field: "spec.x", message: "is wrong" };
    const invalid = { validate: () => [error], warnings: () => ["w"] };
    const strict = deploymentKind(invalid);
    const bed = newBed([strict]);
    const message = 'Deployment.apps "web" is invalid: spec.x: is wrong';
    expect(refusal(() => bed.create(strict, web))).toEqual([422, "Invalid", message]);
    bed.create(deploymentKind(), web);
    expect(refusal(() => bed.edit(strict, "web", () => undefined))).toEqual([422, "Invalid", message]);
    expect(bed.warnings).toEqual([]);
  });
});

describe("R8: admission requests of a write", () => {
  const user = actor.user;

  test("contain the draft and no old object for a create", () => {
    const { bed, kind, requests, of } = recorded();
    of(() => bed.create(kind, web));
    for (const request of requests) {
      expect(request).toMatchObject({
        operation: "CREATE",
        subresource: "",
        namespace: "default",
        name: "web",
        oldObject: undefined,
        userInfo: user,
        dryRun: false,
      });
      expect(request.options).toEqual({ kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" });
      expect(request.kind).toBe(kind);
      expect(request.object?.metadata.name).toBe("web");
    }
  });

  test("contain no options for a connection", () => {
    const { bed, kind } = recorded();
    const attributes = { kind, subresource: "exec", namespace: "", name: "", object: undefined, oldObject: undefined };
    const request = admissionRequest(
      { operation: "CONNECT", ...attributes },
      actor,
      {},
      contextOf(bed.registry, actor),
    );
    expect(request.options).toBeUndefined();
  });

  test("contain a generated name in the validating step", () => {
    const { bed, kind, requests, of } = recorded();
    const createObject = () => bed.create(kind, { metadata: { generateName: "web-" } });
    of(createObject);
    expect(requests.map(({ name }) => name)).toEqual(["", expect.stringMatching(/^web-.{5}$/)]);
  });

  test("contain the draft and the old object for an update", () => {
    const { bed, kind, requests, of } = recorded();
    const before = bed.create(kind, web);
    of(() =>
      bed.edit(kind, "web", ({ spec }) => {
        spec.replicas = 2;
      }),
    );
    for (const request of requests) {
      expect(request).toMatchObject({
        operation: "UPDATE",
        subresource: "",
        namespace: "default",
        name: "web",
        object: { spec: { replicas: 2 } },
        options: { kind: "UpdateOptions" },
      });
      expect(request.oldObject).toEqual(before);
      expect(request.objectKind).toBeUndefined();
    }
  });

  test("contain the old object for a deletion, without a name for a collection", () => {
    const { bed, kind, requests, of } = recorded();
    const stored = bed.create(kind, web);
    of(() => bed.remove(kind, "web", { gracePeriodSeconds: 5 }, { dryRun: true, ofCollection: true }));
    for (const request of requests) {
      expect(request).toMatchObject({
        operation: "DELETE",
        subresource: "",
        namespace: "default",
        name: "",
        object: undefined,
        dryRun: true,
        options: { kind: "DeleteOptions", dryRun: ["All"], gracePeriodSeconds: 5 },
      });
      expect(request.oldObject).toEqual(stored);
    }
    of(() => bed.remove(kind, "web"));
    expect(requests.map(({ name }) => name)).toEqual(["web", "web"]);
  });

  test.for([
    [{}, {}],
    [{ uid: "u" }, { preconditions: { uid: "u" } }],
    [{ resourceVersion: "1" }, { preconditions: { resourceVersion: "1" } }],
    [{ gracePeriodSeconds: 0 }, { gracePeriodSeconds: 0 }],
    [{ propagation: "Orphan" }, { propagationPolicy: "Orphan" }],
  ] as const)("contain the options of a deletion by %j: %j", ([query, expected]) => {
    const { bed, kind, requests, of } = recorded();
    const { metadata } = bed.create(kind, web);
    const preconditions = "uid" in query ? { uid: metadata.uid ?? "" } : query;
    const expectedOptions = "uid" in query ? { preconditions: { uid: metadata.uid } } : expected;
    of(() => bed.remove(kind, "web", preconditions, { dryRun: true }));
    expect(requests[0]?.options).toStrictEqual({
      kind: "DeleteOptions",
      apiVersion: "meta.k8s.io/v1",
      dryRun: ["All"],
      ...expectedOptions,
    });
  });

  test("contain the client's options before their effective values", () => {
    const { bed, kind, requests, of } = recorded();
    const requestOptions = { fieldManager: "me", dryRun: ["All"] };
    of(() => bed.create(kind, web, { requestOptions: requestOptions }));
    expect(requests[0]?.options).toEqual({ kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", ...requestOptions });
    bed.create(deploymentKind(), { metadata: { name: "b" } });
    of(() => bed.remove(kind, "b", { gracePeriodSeconds: 3 }, { requestOptions: {} }));
    expect(requests[0]?.options).not.toHaveProperty("gracePeriodSeconds");
  });

  test("contain the body with its type for a POST to a subresource, under the posted resource", () => {
    const { bed, kind, requests, of } = recorded();
    bed.create(kind, web);
    const target = { namespace: "default", name: "web", subresource: "rollback" };
    of(() => act(bed.registry, kind, target, { metadata: { name: "web" } }, actor));
    for (const request of requests) {
      expect(request).toMatchObject({
        operation: "CREATE",
        subresource: "rollback",
        namespace: "default",
        name: "web",
      });
      expect(request.objectKind).toMatchObject({ apiVersion: "v1", kind: "Binding" });
      expect(request.object).toMatchObject({ apiVersion: "v1", kind: "Binding", metadata: { namespace: "default" } });
      expect(request.object?.metadata.managedFields).toBeUndefined();
      expect(request.oldObject).toBeUndefined();
    }
    const otherKind = deploymentKind();
    of(() => act(bed.registry, kind, target, {}, actor, { requestResource: { kind: otherKind, subresource: "" } }));
    expect(requests.map((request) => [request.kind === otherKind, request.subresource])).toEqual([
      [true, ""],
      [true, ""],
    ]);
  });

  test("pass warnings and annotations of plugins to the request's receivers", () => {
    const noting: AdmissionPlugin = {
      name: "Noting",
      validate({ annotations, warn }) {
        annotations?.set("a.io/b", "c");
        warn("careful");
      },
    };
    const kind = deploymentKind();
    const bed = newBed([kind], { plugins: () => [noting] });
    const annotations = new Map<string, string>();
    bed.create(kind, web, { annotations });
    expect([...annotations]).toEqual([["a.io/b", "c"]]);
    expect(bed.warnings).toEqual(["careful"]);
    create(bed.registry, kind, "default", draftOf(kind, { metadata: { name: "quiet" } }), actor);
  });

  test("let plugins change the draft, and a plugin that requests reinvocation gets its saved values", () => {
    const rounds: string[] = [];
    const insisting = (name: string, insists: boolean): AdmissionPlugin => ({
      name,
      mutate({ reinvocationContext: context, object }) {
        if (!context || !object) throw new Error("there is no context");
        rounds.push(`${name} ${context.isReinvoke} ${String(context.values.get(name))}`);
        context.values.set(name, "kept");
        object.metadata.labels = { ...object.metadata.labels, [name]: String(context.isReinvoke) };
        if (insists && !context.isReinvoke) context.shouldReinvoke = true;
      },
    });
    const kind = deploymentKind();
    const bed = newBed([kind], {
      plugins: () => [insisting("a", false), insisting("b", true), { name: "Validates", validate: () => undefined }],
    });
    const { metadata } = bed.create(kind, web);
    expect(rounds).toEqual(["a false undefined", "b false undefined", "a true kept", "b true kept"]);
    expect(metadata.labels).toEqual({ a: "true", b: "true" });
    rounds.length = 0;
    const calm = newBed([kind], { plugins: () => [insisting("a", false)] });
    calm.create(kind, web);
    expect(rounds).toEqual(["a false undefined"]);
  });

  test("contain another object for an update through it, and store its changes by admission", () => {
    const scaling: Transform<Deployment> = {
      objectKind: groupVersionKind("io.k8s.api.autoscaling.v1.Scale"),
      subresource: "scale",
      object: { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "asked" } },
      oldObject: { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "before" } },
      applyTo: (draft, { metadata }) => {
        draft.spec.replicas = Number(metadata.labels?.["replicas"] ?? "0");
      },
      fromObject: ({ spec }) => ({
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: `of ${spec.replicas ?? 1}` },
      }),
    };
    const objects: unknown[] = [];
    const plugin: AdmissionPlugin = {
      name: "Scales",
      mutate: ({ object, oldObject, subresource, objectKind }) => {
        if (!object || subresource !== "scale") return;
        objects.push([objectKind?.kind, object.metadata.name, oldObject?.metadata.name]);
        object.metadata.labels = { replicas: "7" };
      },
      validate: ({ object, oldObject, subresource, objectKind }) => {
        if (subresource === "scale") objects.push([objectKind?.kind, object?.metadata.name, oldObject?.metadata.name]);
      },
    };
    const kind = deploymentKind();
    const bed = newBed([kind], { plugins: () => [plugin] });
    bed.create(kind, web);
    const stored = bed.edit(kind, "web", () => undefined, { transform: scaling });
    expect(stored.spec.replicas).toBe(7);
    expect(objects).toEqual([
      ["Scale", "asked", "before"],
      ["Scale", "of 7", "of 1"],
    ]);
  });

  test("are followed by a strategy with the user, the time and whether it is a dry run", () => {
    const contexts: unknown[] = [];
    const kind = deploymentKind({
      prepareForCreate: (_draft, { user, nowMs, dryRun, warn }) => {
        contexts.push([user.name, nowMs, dryRun, warn !== undefined]);
      },
    });
    const bed = newBed([kind]);
    bed.create(kind, web, { dryRun: true });
    create(bed.registry, kind, "default", draftOf(kind, web), actor);
    const nowMs = bed.clock.nowMs();
    expect(contexts).toEqual([
      ["ann", nowMs, true, true],
      ["ann", nowMs, false, false],
    ]);
  });

  test("are followed by a strategy that reads stored objects and served kinds, and may make outbound calls", () => {
    let context: Parameters<NonNullable<Behaviour<Deployment>["prepareForCreate"]>>[1] | undefined;
    const kind = deploymentKind({
      prepareForCreate: (_draft, writeContext) => {
        context = writeContext;
      },
    });
    const question = { to: { url: "https://a" }, body: "", timeoutMs: 1 };
    const bed = newBed([kind], { ask: (questions) => questions.map(() => ({ body: "yes" }) as never) });
    bed.create(kind, web);
    bed.create(kind, { metadata: { name: "other" } });
    expect([...(context?.list(kind, "default") ?? [])].map(({ metadata }) => metadata.name)).toEqual(["other", "web"]);
    expect([...(context?.list(kind, "elsewhere") ?? [])]).toEqual([]);
    expect([...(context?.list(kind) ?? [])]).toHaveLength(2);
    expect(context?.count(kind)).toBe(2);
    expect(context?.get(kind, "default", "web")?.metadata.name).toBe("web");
    expect(context?.get(kind, "default", "none")).toBeUndefined();
    expect(context?.kindOf("apps/v1", "Deployment")).toBe(kind);
    expect(context?.versionsOf(kind)).toEqual([kind]);
    expect(context?.ask([question as never])).toEqual([{ body: "yes" }]);
    const lonely = newBed([kind]);
    lonely.create(kind, web);
    expect(context?.ask([])).toEqual([]);
    expect(() => context?.ask([question as never])).toThrow("someone who asks");
  });

  test("are preceded by a kind's rejection of creation", () => {
    const kind = deploymentKind({ refusesCreation: "they are made elsewhere" });
    const bed = newBed([kind]);
    expect(refusal(() => bed.create(kind, web))).toEqual([
      403,
      "Forbidden",
      'deployments.apps "web" is forbidden: they are made elsewhere',
    ]);
    expect(bed.registry.store.revision).toBe(0);
  });
});
