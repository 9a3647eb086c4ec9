import { describe, expect, test } from "vitest";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityMilliValue,
  quantityValue,
  subQuantities,
} from "../../shared/k8s/quantity.ts";
import { must } from "../../shared/base/assert.ts";

const of = (text: string) => must(parseQuantity(text), text);
const canonical = (text: string) => formatQuantity(of(text));

describe("a quantity", () => {
  test.each([
    ["0", "0"],
    ["000", "0"],
    ["0Ki", "0"],
    ["1", "1"],
    ["100m", "100m"],
    ["0.1", "100m"],
    ["0.5", "500m"],
    ["1.5", "1500m"],
    ["1.5Gi", "1536Mi"],
    ["0.5Gi", "512Mi"],
    ["1024Ki", "1Mi"],
    ["1025Ki", "1025Ki"],
    ["1000Ki", "1000Ki"],
    ["128Mi", "128Mi"],
    ["1000", "1k"],
    ["1000000", "1M"],
    ["1000m", "1"],
    ["2000m", "2"],
    ["1200m", "1200m"],
    ["1e3", "1e3"],
    ["12e6", "12e6"],
    ["1e4", "10e3"],
    ["1E", "1E"],
    ["100Ei", "9223372036854775807"],
    ["-1.5Gi", "-1536Mi"],
    ["0.1n", "1n"],
    ["1.1Ki", "1126400m"],
    ["512", "512"],
    [".5", "500m"],
    ["1.", "1."],
    ["16000000000", "16G"],
    ["3998Mi", "3998Mi"],
    ["16393244Ki", "16393244Ki"],
  ])("prints as upstream: %s is %s", (text, printed) => {
    expect(canonical(text)).toBe(printed);
  });

  test.each(["", "a", "1x", "1Kii", "1 Gi", "--1", "1e", "1K", "1.2.3", "1e99999999"])("is refused: %j", (text) => {
    expect(parseQuantity(text)).toBeUndefined();
  });

  test("keeps the format of the first non-zero summand", () => {
    expect(formatQuantity(addQuantities(of("1Gi"), of("1G")))).toBe("2073741824");
    expect(formatQuantity(addQuantities(of("0"), of("1Gi")))).toBe("1Gi");
    expect(formatQuantity(addQuantities(of("100m"), of("900m")))).toBe("1");
    expect(formatQuantity(subQuantities(of("1Gi"), of("512Mi")))).toBe("512Mi");
  });

  test("compares by value, not by text", () => {
    expect(compareQuantities(of("1000m"), of("1"))).toBe(0);
    expect(compareQuantities(of("1Gi"), of("1G"))).toBe(1);
    expect(compareQuantities(of("-1"), of("1n"))).toBe(-1);
  });

  test("rounds values up", () => {
    expect(quantityValue("100m")).toBe(1);
    expect(quantityValue("1Gi")).toBe(1073741824);
    expect(quantityMilliValue("0.1")).toBe(100);
    expect(quantityMilliValue("1u")).toBe(1);
    expect(quantityMilliValue("nonsense")).toBe(0);
  });
});
