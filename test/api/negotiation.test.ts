// Content negotiation: Accept and Content-Type as upstream reads them.
import { describe, expect, test } from "vitest";
import { ApiError } from "../../shared/k8s/status.ts";
import { encodeOutput } from "../../worker/api/negotiation/encoding.ts";
import {
  bodyType,
  discoveryTransforms,
  negotiateOutput,
  noTransforms,
  parseAccept,
  patchType,
  tryOutput,
} from "../../worker/api/negotiation/negotiation.ts";

function refusal(run: () => unknown): ApiError {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

describe("the negotiated response format", () => {
  test("is JSON by default", () => {
    expect(negotiateOutput(null)).toEqual({ encoding: "json", mediaType: "application/json", pretty: false });
    expect(negotiateOutput("*/*").encoding).toBe("json");
    expect(negotiateOutput("application/*").encoding).toBe("json");
  });

  test("is the first supported clause: kubectl's get requests a Table", () => {
    const accept =
      "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
    expect(negotiateOutput(accept).as).toEqual({ kind: "Table", version: "v1", group: "meta.k8s.io" });
    expect(negotiateOutput(accept, noTransforms).as).toBeUndefined();
  });

  test("is protobuf if it is preferred", () => {
    const accept = "application/vnd.kubernetes.protobuf,application/json";
    expect(negotiateOutput(accept)).toMatchObject({
      encoding: "protobuf",
      mediaType: "application/vnd.kubernetes.protobuf",
    });
    expect(negotiateOutput(accept, undefined, { stream: true }).encoding).toBe("protobuf");
    expect(negotiateOutput("application/json, application/vnd.kubernetes.protobuf").encoding).toBe("json");
  });

  test("is refused with 406 and the supported types if none is acceptable", () => {
    const error = refusal(() => negotiateOutput("application/cbor"));
    expect(error.toStatus()).toMatchObject({
      code: 406,
      reason: "NotAcceptable",
      message:
        "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    });
  });

  test("is never YAML for a watch", () => {
    const error = refusal(() => negotiateOutput("application/yaml", undefined, { stream: true }));
    expect(error.message).toBe(
      "only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch",
    );
    expect(negotiateOutput("application/json;stream=watch", undefined, { stream: true }).encoding).toBe("json");
  });

  test("skips a clause with an unknown transform", () => {
    expect(negotiateOutput("application/json;as=Chart;v=v1;g=meta.k8s.io,application/yaml").encoding).toBe("yaml");
    expect(tryOutput("application/json;as=Table;v=v2;g=meta.k8s.io", discoveryTransforms)).toBeUndefined();
  });

  test("follows quality, then named types before wildcards, then the order", () => {
    const order = parseAccept("*/*;q=0.5, text/*, application/yaml;q=0.9, application/json, bad").map(
      (clause) => `${clause.type}/${clause.subtype}`,
    );
    expect(order).toEqual(["application/json", "text/*", "application/yaml", "*/*"]);
  });

  test("is indented for pretty, curl and browsers, unless pretty=false", () => {
    expect(negotiateOutput("application/json;pretty=1").pretty).toBe(true);
    expect(negotiateOutput(null, undefined, { userAgent: "curl/8" }).pretty).toBe(true);
    expect(negotiateOutput(null, undefined, { userAgent: "curl/8", pretty: "false" }).pretty).toBe(false);
    expect(negotiateOutput(null, undefined, { userAgent: "kubectl/v1.33" }).pretty).toBe(false);
  });

  test("has sorted keys in YAML, and quotes strings that YAML 1.1 would misread", () => {
    const output = { encoding: "yaml", pretty: false } as const;
    expect(encodeOutput({ b: "yes", a: "1", c: ["on", "x"] }, output)).toBe('a: "1"\nb: "yes"\nc:\n- "on"\n- x\n');
  });
});

describe("the format of a request body", () => {
  test("is JSON by default, and parameters do not matter", () => {
    expect(bodyType(null)).toBe("json");
    expect(bodyType("application/json; charset=utf-8")).toBe("json");
    expect(bodyType("application/yaml")).toBe("yaml");
    expect(bodyType("application/vnd.kubernetes.protobuf")).toBe("protobuf");
  });

  test("is refused with 415 in upstream's words if it is unknown", () => {
    const error = refusal(() => bodyType("text/plain"));
    expect(error.toStatus()).toMatchObject({
      code: 415,
      reason: "UnsupportedMediaType",
      message:
        "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    });
  });

  test("selects the kind of a patch, and a refusal lists the endpoint's types", () => {
    expect(patchType("application/strategic-merge-patch+json")).toBe("strategic");
    expect(patchType("application/apply-patch+yaml; charset=utf-8")).toBe("apply");
    const error = refusal(() => patchType("application/strategic-merge-patch+json", ["json", "merge"]));
    expect(error.message).toBe(
      "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json",
    );
  });
});
