// Which requests are watches, and how long they last.
import { describe, expect, test } from "vitest";
import { isWatch, watchDurationMs } from "../../worker/edge/watch/request.ts";

const at = (path: string) => new URL(path, "http://cluster");

describe("a watch", () => {
  test.each([
    ["/api/v1/pods?watch=1"],
    ["/api/v1/pods?watch=true"],
    ["/api/v1/pods?watch=True&limit=1"],
    ["/api/v1/pods?watch"],
    ["/api/v1/namespaces/a/pods?watch=1"],
    ["/api/v1/namespaces?watch=1"],
    ["/apis/apps/v1/deployments?watch=1"],
    ["/apis/apps/v1/namespaces/a/deployments?watch=1"],
    ["/api/v1/watch/pods"],
    ["/api/v1/watch/namespaces/a/pods/b"],
    ["/apis/apps/v1/watch/deployments"],
  ])("is %s", (path) => {
    expect(isWatch("GET", at(path))).toBe(true);
  });

  test.each([
    ["/api/v1/pods"],
    ["/api/v1/pods?watch=0"],
    ["/api/v1/pods?watch=false"],
    ["/api/v1/namespaces/a/pods/b/log?watch=1"],
    ["/api/v1/namespaces/a/pods/b/exec?watch=1"],
    ["/api/v1/namespaces/a/pods/b?watch=1"],
    ["/api/v1/watch"],
    ["/apis/apps/v1?watch=1"],
    ["/version?watch=1"],
  ])("is not %s", (path) => {
    expect(isWatch("GET", at(path))).toBe(false);
  });

  test("requires a GET", () => {
    expect(isWatch("DELETE", at("/api/v1/pods?watch=1"))).toBe(false);
  });
});

describe("the duration of a watch", () => {
  test("is the requested one, up to a day", () => {
    expect(watchDurationMs(at("/?timeoutSeconds=7"), () => 0)).toBe(7000);
    expect(watchDurationMs(at("/?timeoutSeconds=999999999999"), () => 0)).toBe(24 * 3600 * 1000);
  });

  test.each([["/"], ["/?timeoutSeconds=0"], ["/?timeoutSeconds=-1"], ["/?timeoutSeconds=x"]])(
    "is 30 to 60 minutes for %s",
    (path) => {
      expect(watchDurationMs(at(path), () => 0)).toBe(30 * 60 * 1000);
      expect(watchDurationMs(at(path), () => 1)).toBe(60 * 60 * 1000);
    },
  );
});
