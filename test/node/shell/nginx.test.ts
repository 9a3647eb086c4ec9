// nginx by its configuration: which answer a path gets, what it says of a configuration that it cannot read, and what it asks of others.
import { expect, test } from "vitest";
import { Files } from "../../../worker/node/shell/files.ts";
import { nginxFiles } from "../../../worker/node/images/files.ts";
import type { Visit } from "../../../worker/node/shell/programs/page.ts";
import { pageOf } from "../../../worker/node/shell/programs/pages.ts";
import { inImage, startMs } from "./in-image.ts";

const path = "/etc/nginx/conf.d/default.conf";

function ask(config: string, asked: string, more: Partial<Visit> = {}) {
  const texts = { ...nginxFiles(80), [path]: config, "/data/index.html": "own", "/data/sub/a.txt": "text" };
  const files = new Files(
    Object.entries(texts).map(([name, text]) => [name, { text, mode: 0o644, changedMs: startMs }]),
  );
  const own = { server: "nginx", image: "nginx:1.27.3", host: "web-0", address: "10.244.0.5", status: 200, port: 80 };
  const page = pageOf({ method: "GET", path: asked, headers: [], body: "", ...own, files, nowMs: startMs, ...more });
  return { ...page, log: page.edits?.map(({ text }) => text).join("") ?? "" };
}

test.each([
  ["location / { root /data; try_files $uri /index.html; }", "/nope", 200, "own"],
  ["location / { root /data; try_files $uri =404; }", "/nope", 404, "404 Not Found"],
  ["root /data; autoindex on;", "/sub/", 200, '<a href="a.txt">a.txt</a>'],
  ["root /data;", "/sub/", 403, "403 Forbidden"],
  ["location ~ \\.txt$ { return 200 're'; } location ^~ /sub { root /data; }", "/sub/a.txt", 200, "text"],
  ['location /a { return 200 "$host $request_uri $args"; }', "/a?b=c", 200, "web.example /a?b=c b=c"],
  ["server_name other; return 418;", "/", 418, "418"],
])("N11: with %j, %s is answered with %d", (inside, asked, status, text) => {
  const found = ask(`server { listen 80; ${inside} }`, asked, { headers: [["Host", "web.example"]] });
  expect(found.status).toBe(status);
  expect(found.body).toContain(text);
  expect(found.log).toContain(`"GET ${asked} HTTP/1.1" ${status} `);
});

test("N11: servers are told apart by the name that the visitor asks for", () => {
  const config =
    "server { listen 80; return 200 'first'; } server { listen 80; server_name b.example; return 200 'second'; }";
  expect(ask(config, "/", { headers: [["Host", "b.example:80"]] }).body).toBe("second");
  expect(ask(config, "/", { headers: [["Host", "c.example"]] }).body).toBe("first");
});

test("N11: what it adds to its answers is told, and what is elsewhere is asked for with the headers that it sets", () => {
  const asked: unknown[] = [];
  const config = `upstream app { server 10.0.0.9:8080; }
server { listen 80; add_header X-Own yes;
  location /api/ { proxy_pass http://app/; proxy_set_header X-Real-IP $remote_addr; proxy_set_header Host $host; } }`;
  const reach: Visit["reach"] = (contact) => {
    asked.push([contact.address, contact.port, contact.request?.path, contact.request?.headers]);
    return { kind: "answered", answer: { status: 201, contentType: "text/plain", body: "made", server: "*" } };
  };
  const found = ask(config, "/api/v1?x=1", { reach, from: "10.1.1.1", headers: [["Host", "web"]] });
  expect([found.status, found.body, found.headers]).toEqual([201, "made", [["X-Own", "yes"]]]);
  expect(asked).toEqual([
    [
      "10.0.0.9",
      8080,
      "/v1?x=1",
      [
        ["Connection", "close"],
        ["X-Real-IP", "10.1.1.1"],
        ["Host", "web"],
      ],
    ],
  ]);
  expect(ask(config, "/api/", { reach: () => ({ kind: "refused" }) }).status).toBe(502);
  expect(ask(config, "/api/", { reach: () => ({ kind: "dropped" }) }).status).toBe(504);
});

test.each([
  ["server { listen 80; rooot /data; }", `unknown directive "rooot" in ${path}:1`],
  ["server {\n listen 80\n root /data;\n}", undefined],
  ["server {\n listen 80;\n root /data\n}", `unexpected "}" in ${path}:4`],
  ["server {\n listen 80;\n", `unexpected end of file, expecting "}" in ${path}:3`],
  ["server { listen 80; } }", `unexpected "}" in ${path}:1`],
  ["server { listen 80; root; }", `invalid number of arguments in "root" directive in ${path}:1`],
  ["server { location / { proxy_pass http://nobody:80; } }", `host not found in upstream "nobody" in ${path}:1`],
  ["server { location / { proxy_pass nobody; } }", `invalid URL prefix in ${path}:1`],
])("N11: nginx -t of %j says what is wrong with it", (config, problem) => {
  const { all, exit } = inImage("nginx:1.27", ["nginx", "-t"], { files: { [path]: config } });
  const test = "nginx: configuration file /etc/nginx/nginx.conf test";
  if (problem === undefined) expect(exit).toBe(0);
  else expect({ all, exit }).toEqual({ all: `nginx: [emerg] ${problem}\n${test} failed\n`, exit: 1 });
});
