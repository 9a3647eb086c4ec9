// Answers of servers in well-known images.
import { describe, expect, test } from "vitest";
import { Files } from "../../worker/containers/shell/files.ts";
import { nginxFiles } from "../../worker/containers/products/nginx/image-files.ts";
import { nginxPorts } from "../../worker/containers/products/nginx/configuration.ts";
import type { Page, Visit } from "../../worker/containers/shell/server.ts";
import { netexecAnswer } from "../../worker/containers/products/agnhost/netexec.ts";
import { nginxServer } from "../../worker/containers/products/nginx/program.ts";
import { trace } from "../../worker/containers/shell/trace.ts";

const startMs = Date.UTC(2026, 0, 1);

function visit(more: Partial<Visit>): Visit {
  const request = { method: "GET", path: "/", headers: [], body: "" };
  const podWorld = { image: "nginx", files: new Files(), host: "web-0", address: "10.244.0.5" };
  return { ...request, ...podWorld, nowMs: startMs, ...more };
}

/** The answer of the server that a program becomes. */
function answerOf(words: readonly string[], more: Partial<Visit>): Page | undefined {
  return trace({ words, startMs, untilMs: startMs + 1000 }).server?.answer(visit(more));
}

test.each([
  ["kubernetes_bootcamp", "gcr.io/google-samples/kubernetes-bootcamp:v1", "| v=1\n"],
  ["kubernetes_bootcamp", "docker.io/jocatalin/kubernetes-bootcamp:v2", "| v=2\n"],
  ["kubernetes_bootcamp", "localhost:5000/kubernetes-bootcamp", "| v=1\n"],
  ["hello-app", "us-docker.pkg.dev/google-samples/containers/gke/hello-app:2.0", "\nVersion: 2.0.0\n"],
])("%s of %s answers with its release", (server, image, text) => {
  expect(answerOf([server], { image })?.body).toContain(text);
});

test("each server refuses a POST to a file with its own error page", () => {
  const configFiles = Object.entries(nginxFiles(80)).map(
    ([path, text]) => [path, { text, mode: 0o644, changedMs: 0 }] as const,
  );
  const posted = nginxServer.answer(visit({ method: "POST", files: new Files(configFiles) }));
  expect([posted.status, posted.body]).toEqual([405, expect.stringContaining("<h1>405 Not Allowed</h1>")]);
  const files = new Files([["/usr/local/apache2/htdocs/index.html", { text: "works", mode: 0o644, changedMs: 0 }]]);
  expect(answerOf(["httpd-foreground"], { method: "POST", files })).toMatchObject({
    contentType: "text/html",
    body: "works",
  });
});

test("echo servers answer with the method, the headers and the body", () => {
  const netexec = (path: string, more: Partial<Visit> = {}) => netexecAnswer(visit({ path, ...more }), []);
  expect(netexec("/echo?msg=hi%20there&code=418")).toMatchObject({ body: "hi there", status: 418 });
  const form = [["content-type", "application/x-www-form-urlencoded"]] as const;
  expect(netexec("/echo?msg=query", { method: "POST", headers: form, body: "msg=form" }).body).toBe("form");
  expect(netexec("/header?key=X-Own", { headers: [["x-own", "1"]] }).body).toBe("1");
  expect(netexec("/hostname").body).toBe("web-0");
  expect(netexec("/redirect?location=/a")).toMatchObject({ status: 302, headers: [["Location", "/a"]] });
  const request = { method: "PUT", path: "/a?b=c", headers: [["X-Own", "1"]] as const, body: "sent" };
  const echo = answerOf(["echoserver"], request);
  for (const fragment of ["method=PUT", "real path=/a?b=c", "x-own=1", "Request Body:\nsent"])
    expect(echo?.body).toContain(fragment);
  expect(answerOf(["http-echo", "-text=hello"], {})?.body).toBe("hello\n");
});

describe("nginx", () => {
  const ask = (config: string, path: string, port = 80) =>
    nginxServer.answer(
      visit({
        path,
        port,
        files: files(config),
      }),
    );
  const files = (config: string) =>
    new Files(
      Object.entries({
        ...nginxFiles(80),
        ...(config === "" ? {} : { "/etc/nginx/conf.d/default.conf": config }),
        "/data/index.html": "own",
      }).map(([path, text]) => [path, { text, mode: 0o644, changedMs: 0 }]),
    );

  test.each([
    ["", "/", 200, "<h1>Welcome to nginx!</h1>"],
    ["", "/nope", 404, "<center>nginx/1.29.3</center>"],
    ["server { listen 80; root /data; }", "/", 200, "own"],
    ["server { listen 80; location / { root /data; } location = /ready { return 200 'ok'; } }", "/ready", 200, "ok"],
    ["server { listen 80; location /old { return 301 /new; } }", "/old", 301, "301 Moved Permanently"],
    ["server { listen 80; location / { proxy_pass http://app; } }", "/", 502, "502 Bad Gateway"],
    ["server { listen 81; return 404; } server { listen 80; root /data; }", "/", 200, "own"],
  ])("with %j answers %s with %d", (config, path, status, text) => {
    expect(ask(config, path)).toMatchObject({ status, body: expect.stringContaining(text) });
  });

  test("listens on the ports of its configuration, including included files", () => {
    expect(nginxPorts(files("server { listen 8080; } server { listen 0.0.0.0:9090; }"))).toEqual([8080, 9090]);
    const main = { text: "http { server { listen 81; } }", mode: 0o644, changedMs: 0 };
    expect(nginxPorts(new Files([...files("").below(""), ["/etc/nginx/nginx.conf", main]]))).toEqual([81]);
  });
});
