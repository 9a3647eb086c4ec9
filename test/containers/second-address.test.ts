import { expect, test } from "vitest";
import { secondAddress } from "../../worker/containers/network/second-address.ts";

test("a pod's second address has the same offset in its range as the first", () => {
  const ranges = ["10.244.3.0/24", "fd00:10:244:3::/64"];
  expect(secondAddress(ranges, "10.244.3.7")).toBe("fd00:10:244:3::7");
  expect(secondAddress(ranges, "10.244.9.7")).toBeUndefined();
  expect(secondAddress(["10.244.3.0/24"], "10.244.3.7")).toBeUndefined();
});
