import { describe, expect, test } from "vitest";
import type { FieldError } from "../../shared/k8s/field.ts";
import { decode } from "../../shared/schema/decode.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { base64Bytes, maxSecretSize } from "../../worker/kinds/core/data-size.ts";
import { secrets } from "../../worker/kinds/core/secret.ts";
import { requestOf } from "../admission/request.ts";

const { context } = requestOf(configMaps, "CREATE", {});
const lines = (errors: readonly FieldError[] = []) => errors.map(({ field, message }) => `${field}: ${message}`);

describe("1 MiB of values", () => {
  const validateMap = (data: Record<string, string>) =>
    lines(configMaps.validate?.({ apiVersion: "v1", kind: "ConfigMap", metadata: {}, data }, context));

  test("is the limit of a ConfigMap, in UTF-8", () => {
    expect(validateMap({ a: "x".repeat(maxSecretSize) })).toEqual([]);
    const tooLong = [": Too long: may not be more than 1048576 bytes"];
    expect(validateMap({ a: "x".repeat(maxSecretSize), b: "y" })).toEqual(tooLong);
    expect(validateMap({ a: "é".repeat(maxSecretSize / 2 + 1) })).toEqual(tooLong);
  });

  test("is the limit of a Secret, decoded", () => {
    const validate = (text: string) => {
      const secret = decode(secrets.type, { metadata: {}, stringData: { a: text } }).object as Parameters<
        NonNullable<typeof secrets.defaults>
      >[0];
      secrets.defaults?.(secret);
      return lines(secrets.validate?.(secret, context));
    };
    expect(validate("x".repeat(maxSecretSize))).toEqual([]);
    expect(validate("x".repeat(maxSecretSize + 1))).toEqual(["data: Too long: may not be more than 1048576 bytes"]);
  });

  test.each([
    ["", 0],
    ["eA==", 1],
    ["eHg=", 2],
    ["eHh4", 3],
  ])("base64 %j encodes %i bytes", (text, bytes) => {
    expect(base64Bytes(text)).toBe(bytes);
  });
});
