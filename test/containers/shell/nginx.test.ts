// nginx' configuration: answers of paths, errors in the configuration, and requests to upstreams.
import { expect, test } from "vitest";
import { Files } from "../../../worker/containers/shell/files.ts";
import { nginxFiles } from "../../../worker/containers/products/nginx/image-files.ts";
import type { Visit } from "../../../worker/containers/shell/server.ts";
import { nginxServer } from "../../../worker/containers/products/nginx/program.ts";
import { inImage, startMs } from "./in-image.ts";

const path = "/etc/nginx/conf.d/default.conf";

function ask(config: string, requestPath: string, more: Partial<Visit> = {}, besides: Record<string, string> = {}) {
  const texts = { ...besides, ...nginxFiles(80), [path]: config, "/data/index.html": "own", "/data/sub/a.txt": "text" };
  const files = new Files(
    Object.entries(texts).map(([name, text]) => [name, { text, mode: 0o644, changedMs: startMs }]),
  );
  const podWorld = { image: "nginx:1.27.3", host: "web-0", address: "10.244.0.5", port: 80 };
  const page = nginxServer.answer({
    method: "GET",
    path: requestPath,
    headers: [],
    body: "",
    ...podWorld,
    files,
    nowMs: startMs,
    ...more,
  });
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
])("N11: with %j, %s is answered with %d", (inside, requestPath, status, text) => {
  const response = ask(`server { listen 80; ${inside} }`, requestPath, { headers: [["Host", "web.example"]] });
  expect(response.status).toBe(status);
  expect(response.body).toContain(text);
  expect(response.log).toContain(`"GET ${requestPath} HTTP/1.1" ${status} `);
});

test("N11: the Host header selects the server", () => {
  const config =
    "server { listen 80; return 200 'first'; } server { listen 80; server_name b.example; return 200 'second'; }";
  expect(ask(config, "/", { headers: [["Host", "b.example:80"]] }).body).toBe("second");
  expect(ask(config, "/", { headers: [["Host", "c.example"]] }).body).toBe("first");
});

test("N11: add_header adds to the answer, and proxy_pass sends the headers that proxy_set_header sets", () => {
  const upstreamRequests: unknown[] = [];
  const config = `upstream app { server 10.0.0.9:8080; }
server { listen 80; add_header X-Own yes;
  location /api/ { proxy_pass http://app/; proxy_set_header X-Real-IP $remote_addr; proxy_set_header Host $host; } }`;
  const reach: Visit["reach"] = (contact) => {
    upstreamRequests.push([contact.address, contact.port, contact.request?.path, contact.request?.headers]);
    return { kind: "answered", answer: { status: 201, contentType: "text/plain", body: "made" } };
  };
  const response = ask(config, "/api/v1?x=1", { reach, from: "10.1.1.1", headers: [["Host", "web"]] });
  expect([response.status, response.body, response.headers]).toEqual([201, "made", [["X-Own", "yes"]]]);
  expect(upstreamRequests).toEqual([
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

const headersOf = (response: ReturnType<typeof ask>) => Object.fromEntries(response.headers ?? []);
const conf = (inside: string) => `server { listen 80; ${inside} }`;

test.each([
  ['rewrite ^/old/(.*)$ /new/$1 last; location /new/ { return 200 "new $uri"; }', "/old/a", 200, "new /new/a"],
  ["location /a/ { rewrite ^/a/(.*)$ /$1 break; root /data; }", "/a/index.html", 200, "own"],
  ["rewrite ^/(.*)$ /x$1; location / { return 500; }", "/a", 500, "500"],
  ["location / { rewrite ^/(.*)$ /a$1; }", "/b", 500, "500 Internal Server Error"],
  ['if ($request_method = POST) { return 405; } return 200 "got";', "/", 200, "got"],
  ['if ($http_user_agent ~* "Curl") { return 403; } return 200 "ok";', "/", 403, "403 Forbidden"],
  ['set $name "x"; if ($arg_a) { set $name $arg_a; } return 200 $name;', "/?a=b", 200, "b"],
  ['location ~ ^/users/(?<id>[0-9]+)$ { return 200 "user $id $1"; }', "/users/42", 200, "user 42 42"],
  ["location /api { location /api/v1 { return 200 'inner'; } return 200 'outer'; }", "/api/v1/x", 200, "inner"],
  ["root /data; error_page 404 /index.html;", "/nope", 404, "own"],
  ["root /data; error_page 404 =200 /index.html;", "/nope", 200, "own"],
  [
    "location / { root /data; error_page 404 = @other; } location @other { return 200 'other'; }",
    "/nope",
    200,
    "other",
  ],
  ["location / { root /data; try_files $uri @app; } location @app { return 201 'app'; }", "/nope", 201, "app"],
  ["location / { root /data; try_files $uri $uri/ /index.html$is_args$args; }", "/x?y=1", 200, "own"],
  ["location /s { stub_status; }", "/s", 200, "Active connections: 1 \n"],
  ["deny all;", "/", 403, "403 Forbidden"],
  ["allow 10.128.0.0/9; deny all; root /data;", "/", 200, "own"],
  ["location /img/ { alias /data/; }", "/img/index.html", 200, "own"],
])("N11: with %j, %s is %d", (inside, requestPath, status, text) => {
  const response = ask(conf(inside), requestPath, {
    headers: [
      ["Host", "web"],
      ["User-Agent", "curl/8"],
    ],
    from: "10.128.0.1",
  });
  expect(response.status).toBe(status);
  expect(response.body).toContain(text);
});

test("N11: a map's variable has the value of the matching entry", () => {
  const config = `map $http_x_kind $backend { default one; ~^b two; exact "three"; } ${conf("return 200 $backend;")}`;
  const of = (kind: string) => ask(config, "/", { headers: [["X-Kind", kind]] }).body;
  expect([of("z"), of("bcd"), of("exact")]).toEqual(["one", "two", "three"]);
});

test("N11: a redirect has the absolute URL with the requested port", () => {
  const to = (inside: string, requestPath: string, port = 80) =>
    headersOf(ask(`server { listen ${port}; ${inside} }`, requestPath, { port, headers: [["Host", `web:${port}`]] }))[
      "Location"
    ];
  expect(to("return 301 https://$host$request_uri;", "/a?b=c")).toBe("https://web/a?b=c");
  expect(to("rewrite ^/old$ /new permanent;", "/old?x=1", 8080)).toBe("http://web:8080/new?x=1");
  expect(to("root /data;", "/sub")).toBe("http://web/sub/");
});

test("N11: basic authentication refuses users who are not in the password file", () => {
  const files = { "/etc/nginx/.htpasswd": "ann:$apr1$salt$Xxd1irWT9ycqoYxGFn4cb.\nbob:{PLAIN}secret\n" };
  const config = conf('auth_basic "Closed"; auth_basic_user_file .htpasswd; root /data;');
  const as = (user?: string) =>
    ask(config, "/", { headers: user === undefined ? [] : [["Authorization", `Basic ${btoa(user)}`]] }, files);
  const anonymous = as();
  expect([anonymous.status, headersOf(anonymous)["WWW-Authenticate"]]).toEqual([401, 'Basic realm="Closed"']);
  expect([as("bob:secret").status, as("bob:wrong").status, as("eve:x").status]).toEqual([200, 401, 401]);
  expect(as("bob:secret").log).toContain(" - bob [");
  expect(as("bob:wrong").log).toContain(
    '[error] 29#29: *1 user "bob": password mismatch, client: 10.128.0.1, server: , request: "GET / HTTP/1.1"',
  );
  expect(as("eve:x").log).toContain('user "eve" was not found in "/etc/nginx/.htpasswd"');
});

test("N11: limit_req rejects requests past its rate, counted from the log's lines", () => {
  const config = `limit_req_zone $binary_remote_addr zone=one:10m rate=1r/s; ${conf("limit_req zone=one burst=2 nodelay; root /data;")}`;
  const line = (atMs: number) => ({ atMs, path: "/proc/1/fd/1", text: '10.1.1.1 - - [x] "GET / HTTP/1.1" 200 3\n' });
  const at = (...agoMs: number[]) =>
    ask(config, "/", { from: "10.1.1.1", recent: () => agoMs.map((ms) => line(startMs - ms)) });
  expect(at().status).toBe(200);
  expect(at(20, 10).status).toBe(200);
  const refused = at(30, 20, 10);
  expect([refused.status, refused.body]).toEqual([503, expect.stringContaining("503 Service Temporarily Unavailable")]);
  expect(refused.log).toMatch(/limiting requests, excess: 2\.\d{3} by zone "one"/);
  expect(at(9030, 9020, 9010).status).toBe(200);
});

test("N11: the servers of an upstream are tried in order, and each failure is logged", () => {
  const config = `upstream app { server 10.0.0.1:80; server 10.0.0.2:81; server 10.0.0.3 backup; } ${conf("location / { proxy_pass http://app; }")}`;
  const reach: Visit["reach"] = ({ address, port }) =>
    address === "10.0.0.3"
      ? {
          kind: "answered",
          answer: { status: 200, contentType: "text/plain", body: `${address}:${port}` },
        }
      : { kind: "refused" };
  const response = ask(config, "/a", { reach, from: "10.1.1.1", headers: [["Host", "web"]] });
  expect(response.body).toBe("10.0.0.3:80");
  for (const where of ["10.0.0.1:80", "10.0.0.2:81"]) {
    expect(response.log).toContain(
      `connect() failed (111: Connection refused) while connecting to upstream, client: 10.1.1.1, server: , request: "GET /a HTTP/1.1", upstream: "http://${where}/a", host: "web"\n`,
    );
  }
  const posted = ask(config, "/a", { reach, method: "POST", body: "x" });
  expect(posted.status).toBe(200);
});

test("N11: a name in a variable is resolved for each request, and needs a resolver", () => {
  const inside = "set $to http://app.default.svc.cluster.local; location / { proxy_pass $to; }";
  expect(ask(conf(inside), "/").log).toContain("no resolver defined to resolve app.default.svc.cluster.local");
  const response = ask(conf(`resolver 10.96.0.10; ${inside}`), "/", { resolve: () => undefined });
  expect([response.status, response.log]).toEqual([
    502,
    expect.stringContaining("app.default.svc.cluster.local could not be resolved (3: Host not found)"),
  ]);
});

test("N11: the log has the configured format, or is off", () => {
  const format = `log_format own '$remote_addr $status "$http_x_a" $uri'; ${conf("access_log /dev/stdout own; root /data;")}`;
  expect(ask(format, "/", { from: "10.1.1.1", headers: [["X-A", 'b"c']] }).log).toBe(
    '10.1.1.1 200 "b\\x22c" /index.html\n'.replace("/index.html", "/"),
  );
  expect(ask(conf("access_log off; root /data;"), "/").log).toBe("");
  expect(ask(conf("root /data;"), "/nope").log).toContain('open() "/data/nope" failed (2: No such file or directory)');
});

test("N11: gzip is used for clients that accept it", () => {
  const config = conf('gzip on; gzip_types text/plain; location / { return 200 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"; }');
  expect(headersOf(ask(config, "/", { headers: [["Accept-Encoding", "gzip"]] }))["Content-Encoding"]).toBe("gzip");
  expect(headersOf(ask(config, "/"))["Content-Encoding"]).toBeUndefined();
});

test("N11: a TLS port refuses plain HTTP", () => {
  const config = "server { listen 443 ssl; root /data; }";
  expect(ask(config, "/", { port: 443, isTls: false }).body).toContain("The plain HTTP request was sent to HTTPS port");
  expect(ask(config, "/", { port: 443, isTls: true })).toMatchObject({ status: 200, isTls: true });
});

const tls = (more = "") => `server { listen 443 ssl; ssl_certificate /tls/tls.crt; ${more}\n}`;

test.each([
  [tls(), 'no "ssl_certificate_key" is defined for certificate "/tls/tls.crt"'],
  [
    tls("ssl_certificate_key /tls/tls.key;"),
    'cannot load certificate "/tls/tls.crt": BIO_new_file() failed (SSL: error:80000002:system library::No such file or directory:calling fopen(/tls/tls.crt, r) error:10000080:BIO routines::no such file)',
  ],
  ["server { listen 80; location / { } location / { } }", `duplicate location "/" in ${path}:1`],
  ["location / { }", `"location" directive is not allowed here in ${path}:1`],
  ["server { listen 80; return 200 $nope; }", 'unknown "nope" variable'],
  ["server { listen 80; access_log /dev/stdout nope; }", `unknown log format "nope" in ${path}:1`],
  ["include /etc/nginx/more.conf;", `open() "/etc/nginx/more.conf" failed (2: No such file or directory) in ${path}:1`],
  ["upstream a { server nobody:80; }", `host not found in upstream "nobody:80" in ${path}:1`],
  ["server { limit_req zone=one; }", 'zero size shared memory zone "one"'],
  ["server { listen 80; rooot /data; }", `unknown directive "rooot" in ${path}:1`],
  ["fastcgi_temp_path /tmp/fastcgi;\nuwsgi_temp_path /tmp/uwsgi;\nscgi_temp_path /tmp/scgi;", undefined],
  ["server {\n listen 80\n root /data;\n}", undefined],
  ["server {\n listen 80;\n root /data\n}", `unexpected "}" in ${path}:4`],
  ["server {\n listen 80;\n", `unexpected end of file, expecting "}" in ${path}:3`],
  ["server { listen 80; } }", `unexpected "}" in ${path}:1`],
  ["server { listen 80; root; }", `invalid number of arguments in "root" directive in ${path}:1`],
  ["server { location / { proxy_pass http://nobody:80; } }", `host not found in upstream "nobody" in ${path}:1`],
  ["server { location / { proxy_pass nobody; } }", `invalid URL prefix in ${path}:1`],
])("N11: nginx -t of %j reports the error", (config, problem) => {
  const { all, exit } = inImage("nginx:1.27", ["nginx", "-t"], { files: { [path]: config } });
  const test = "nginx: configuration file /etc/nginx/nginx.conf test";
  if (problem === undefined) expect(exit).toBe(0);
  else expect({ all, exit }).toEqual({ all: `nginx: [emerg] ${problem}\n${test} failed\n`, exit: 1 });
});

test("N11: nginx -t names the file of the error, also if another file has the same text", () => {
  const testOutput = (name: string) =>
    inImage("nginx:1.27", ["nginx", "-t"], { files: { [`/etc/nginx/conf.d/${name}`]: "server { rooot /data; }" } }).all;
  expect(testOutput("one.conf")).toContain('unknown directive "rooot" in /etc/nginx/conf.d/one.conf:1');
  expect(testOutput("two.conf")).toContain('unknown directive "rooot" in /etc/nginx/conf.d/two.conf:1');
});
