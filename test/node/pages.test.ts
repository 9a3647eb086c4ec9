// What servers of well-known images say.
import { expect, test } from "vitest";
import { pageOf, type Visit } from "../../worker/node/shell/programs/pages.ts";

function visit(more: Partial<Visit>): Visit {
  const request = { method: "GET", path: "/", headers: [], body: "" };
  const own = { server: "nginx", image: "nginx", files: new Map(), host: "web-0", address: "10.244.0.5" };
  return { ...request, ...own, status: 200, nowMs: Date.UTC(2026, 0, 1), ...more };
}

test.each([
  ["kubernetes_bootcamp", "gcr.io/google-samples/kubernetes-bootcamp:v1", "| v=1\n"],
  ["kubernetes_bootcamp", "docker.io/jocatalin/kubernetes-bootcamp:v2", "| v=2\n"],
  ["kubernetes_bootcamp", "localhost:5000/kubernetes-bootcamp", "| v=1\n"],
  ["hello-app", "us-docker.pkg.dev/google-samples/containers/gke/hello-app:2.0", "\nVersion: 2.0.0\n"],
])("%s of %s tells its release", (server, image, text) => {
  expect(pageOf(visit({ server, image })).body).toContain(text);
});

test("a file is read and not posted to, and each server says so in its way", () => {
  const posted = pageOf(visit({ method: "POST" }));
  expect([posted.status, posted.body]).toEqual([405, expect.stringContaining("<h1>405 Not Allowed</h1>")]);
  const files = new Map([["/usr/local/apache2/htdocs/index.html", { text: "works", mode: 0o644, changedMs: 0 }]]);
  expect(pageOf(visit({ server: "httpd-foreground", method: "POST", files }))).toEqual({
    contentType: "text/html",
    body: "works",
  });
});

test("servers that echo tell of the method, the headers and the body", () => {
  const netexec = (path: string, more: Partial<Visit> = {}) =>
    pageOf(visit({ server: "agnhost/netexec", path, ...more }));
  expect(netexec("/echo?msg=hi%20there&code=418")).toMatchObject({ body: "hi there", status: 418 });
  const form = [["content-type", "application/x-www-form-urlencoded"]] as const;
  expect(netexec("/echo?msg=query", { method: "POST", headers: form, body: "msg=form" }).body).toBe("form");
  expect(netexec("/header?key=X-Own", { headers: [["x-own", "1"]] }).body).toBe("1");
  expect(netexec("/hostname").body).toBe("web-0");
  expect(netexec("/redirect?location=/a")).toMatchObject({ status: 302, headers: [["Location", "/a"]] });
  const echo = pageOf(
    visit({ server: "echoserver", method: "PUT", path: "/a?b=c", headers: [["X-Own", "1"]], body: "sent" }),
  );
  for (const part of ["method=PUT", "real path=/a?b=c", "x-own=1", "Request Body:\nsent"])
    expect(echo.body).toContain(part);
  expect(pageOf(visit({ server: "http-echo/hello" })).body).toBe("hello\n");
});
