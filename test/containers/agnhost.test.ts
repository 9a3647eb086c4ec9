// The image of upstream's end-to-end tests: a table for its commands, and the answers of its servers.
import { describe, expect, test } from "vitest";
import { Files, newFiles } from "../../worker/containers/shell/files.ts";
import { ending, logPath } from "../../worker/containers/shell/outside-input.ts";
import type { Mount } from "../../worker/containers/shell/process.ts";
import type { Contact } from "../../worker/containers/shell/contact.ts";
import type { Page, Visit } from "../../worker/containers/shell/server.ts";
import { crdConversionAnswer } from "../../worker/containers/products/agnhost/conversion.ts";
import { guestbookAnswer } from "../../worker/containers/products/agnhost/guestbook.ts";
import { netexecAnswer } from "../../worker/containers/products/agnhost/netexec.ts";
import { nettestAnswer } from "../../worker/containers/products/agnhost/nettest.ts";
import { porterAnswer } from "../../worker/containers/products/agnhost/porter.ts";
import { sampleApiAnswer } from "../../worker/containers/products/agnhost/sample-apiserver.ts";
import { livenessAnswer, testWebserverAnswer } from "../../worker/containers/products/agnhost/simple-servers.ts";
import { webhookAnswer } from "../../worker/containers/products/agnhost/webhook.ts";
import { trace } from "../../worker/containers/shell/trace.ts";

const startMs = Date.UTC(2026, 0, 1);
const volume: Mount = { path: "/v", type: "tmpfs", readOnly: false, name: "v", below: "" };
const sealed: Mount = { ...volume, path: "/sealed", type: "ext4", readOnly: true, name: "sealed" };

function filesWith(texts: Readonly<Record<string, string>>, mode = 0o644): Files {
  const files = newFiles();
  for (const [path, text] of Object.entries(texts)) files.set(path, { text, mode, uid: 1000, gid: 123, changedMs: 0 });
  files.set("/v", { text: undefined, mode: 0o2777, gid: 123, changedMs: 0 });
  files.set("/sealed", { text: undefined, mode: 0o755, changedMs: 0 });
  return files;
}

interface Row {
  readonly args: string;
  readonly texts?: Readonly<Record<string, string>>;
  readonly mode?: number;
  readonly seconds?: number;
  readonly termSeconds?: number;
  readonly out: string;
  /** Undefined: it still runs. */
  readonly code: number | undefined;
}

const resolver = "search a.svc.cluster.local cluster.local\nnameserver 10.96.0.10\n";
const rows: readonly Row[] = [
  { args: "entrypoint-tester a b", out: "[/agnhost entrypoint-tester a b]\n", code: 0 },
  { args: "pause", out: "Paused\nSignals registered\n", code: undefined },
  {
    args: "pause",
    termSeconds: 2,
    out: 'Paused\nSignals registered\nexiting because of signal "terminated"\n',
    code: 2,
  },
  { args: "dns-suffix", texts: { "/etc/resolv.conf": resolver }, out: "a.svc.cluster.local,cluster.local\n", code: 0 },
  { args: "dns-server-list", texts: { "/etc/resolv.conf": resolver }, out: "10.96.0.10\n", code: 0 },
  { args: "etc-hosts", texts: { "/etc/hosts": "1.2.3.4 a\n" }, out: "1.2.3.4 a\n\n", code: 0 },
  { args: "mounttest --fs_type=/v", out: 'mount type of "/v": tmpfs\n', code: 0 },
  { args: "mounttest --fs_type=/sealed", out: 'mount type of "/sealed": 61267\n', code: 0 },
  { args: "mounttest --file_perm=/v", out: 'perms of file "/v": -rwxrwxrwx\n', code: 0 },
  { args: "mounttest --file_mode=/v", out: 'mode of file "/v": dgrwxrwxrwx\n', code: 0 },
  {
    args: "mounttest --file_mode=/etc/a --file_owner=/etc/a",
    texts: { "/etc/a": "x" },
    mode: 0o440,
    out: 'mode of file "/etc/a": -r--r-----\nowner UID of "/etc/a": 1000\nowner GID of "/etc/a": 123\n',
    code: 0,
  },
  {
    args: "mounttest --new_file_0660=/v/f --file_perm=/v/f --file_owner=/v/f",
    out: 'content of file "/v/f": mount-tester new file\n\nperms of file "/v/f": -rw-rw----\nowner UID of "/v/f": 0\nowner GID of "/v/f": 123\n',
    code: 0,
  },
  {
    args: "mounttest --new_file_0644=/sealed/f",
    out: 'error writing new file "/sealed/f": open /sealed/f: read-only file system\n',
    code: 1,
  },
  {
    args: "mounttest --file_content=/nope",
    out: 'error reading file content for "/nope": open /nope: no such file or directory\n',
    code: 1,
  },
  {
    args: "mounttest --break_on_expected_content=false --retry_time=4 --file_content_in_loop=/etc/a",
    texts: { "/etc/a": "x" },
    seconds: 10,
    out: 'content of file "/etc/a": x\ncontent of file "/etc/a": x\n',
    code: 0,
  },
  { args: "audit-proxy", out: "agnhost audit-proxy is not simulated\n", code: 127 },
  { args: "nope", out: 'Error: unknown command "nope" for "app"\nRun \'app --help\' for usage.\n', code: 1 },
];

describe("agnhost commands", () => {
  test.each(rows)("$args ends with $code", ({ args, texts = {}, mode, seconds = 3600, termSeconds, out, code }) => {
    const { chunks, end } = trace({
      words: ["/agnhost", ...args.split(" ")],
      files: filesWith(texts, mode),
      mounts: [volume, sealed],
      startMs,
      untilMs: startMs + seconds * 1000,
      prints: true,
      ...(termSeconds === undefined ? {} : { termMs: startMs + termSeconds * 1000 }),
    });
    expect(chunks.map((chunk) => chunk.text).join("")).toBe(out);
    expect(end?.exitCode).toBe(code);
  });

  test("logs-generator prints --log-lines-total lines within --run-duration", () => {
    const words = ["agnhost", "logs-generator", "--log-lines-total", "100", "--run-duration", "20s"];
    const { chunks, end } = trace({ words, startMs, untilMs: startMs + 60_000, prints: true });
    expect(chunks).toHaveLength(100);
    expect(chunks[7]?.text).toMatch(/^I0101 00:00:01\.400000 {7}1 log\.go:245\] 7 (GET|POST|PUT) \/api\/v1\//);
    expect(end).toMatchObject({ atMs: startMs + 20_000, exitCode: 0 });
  });

  test("netexec prints what its requests print, and exits when a request ends it", () => {
    const outside = [
      { atMs: startMs + 5000, path: logPath, text: "GET /shutdown\n", appends: true },
      { atMs: startMs + 6000, ...ending(3) },
    ];
    const { chunks, end, ports } = trace({
      words: ["agnhost", "netexec", "--http-port=9000", "--sctp-port=9002"],
      outside,
      startMs,
      untilMs: Number.POSITIVE_INFINITY,
    });
    expect([...ports.keys()]).toEqual([9000, 108_081, 209_002]);
    expect(chunks.at(-1)).toMatchObject({ atMs: startMs + 5000, stream: "stderr", text: "GET /shutdown\n" });
    expect(end).toEqual({ atMs: startMs + 6000, exitCode: 3, oom: false });
  });
});

type Answer = (visit: Visit, words: readonly string[]) => Page;

function answered(answer: Answer, words: readonly string[], path: string, more: Partial<Visit> = {}): Page {
  const request = { method: "GET", path, headers: [], body: "" };
  const podWorld = { image: "agnhost", files: new Files(), host: "web-0" };
  return answer({ ...request, ...podWorld, address: "10.244.0.5", nowMs: startMs, ...more }, words);
}

const form = { headers: [["content-type", "application/x-www-form-urlencoded"]] as const, method: "POST" };

describe("agnhost netexec", () => {
  const netexec = (path: string, more: Partial<Visit> = {}, words: readonly string[] = []) =>
    answered(netexecAnswer, words, path, more);

  test.each([
    ["/hostname", {}, "web-0", 200],
    ["/echo?msg=hi%20there&code=418", {}, "hi there", 418],
    ["/echo?msg=query", { ...form, body: "msg=form" }, "form", 200],
    ["/echo?code=x", {}, "argument 'code' must be an integer or empty, got \"x\"\n", 200],
    ["/header?key=X-Own", { headers: [["x-own", "1"]] as const }, "1", 200],
    ["/clientip", { from: "10.244.1.7" }, "10.244.1.7:43210", 200],
    ["/serverport", {}, "8080", 200],
    ["/readyz", {}, "ok", 200],
    ["/dial?host=10.1.1.1&port=80", {}, "request parameter not specified. <nil>\n", 400],
    ["/dial?host=10.1.1.1&port=80&request=a&protocol=x", {}, "unsupported protocol. x\n", 400],
    [
      "/dial?host=10.1.1.1&port=99999&request=a",
      {},
      "host and/or port param are invalid. lookup 10.1.1.1: no such host\n",
      400,
    ],
  ])("answers %s", (path, more, body, status) => {
    expect(netexec(path, more)).toMatchObject({ body, status });
  });

  test("answers /redirect with its target", () => {
    expect(netexec("/redirect?location=/a")).toMatchObject({ status: 302, headers: [["Location", "/a"]] });
  });

  test("answers every path as the path that its arguments name", () => {
    expect(netexec("/nope", {}, ["8080", "/hostname"]).body).toBe("web-0");
  });

  test("dials other addresses over HTTP and UDP, and reports failures in the words of Go's client", () => {
    const contacts: Contact[] = [];
    const reach = (contact: Contact) => {
      contacts.push(contact);
      if (contact.port === 81) return { kind: "refused" } as const;
      const body = contact.data ?? contact.request?.path ?? "";
      return { kind: "answered", answer: { status: 200, contentType: "", body } } as const;
    };
    const dial = (query: string) => netexec(`/dial?host=10.1.1.1&${query}`, { reach }).body;
    expect(dial("port=80&request=echo%3Fmsg=a&tries=2")).toBe('{"responses":["/echo?msg=a","/echo?msg=a"]}');
    expect(dial("port=82&request=hostname&protocol=udp")).toBe('{"responses":["hostname"]}');
    expect(dial("port=81&request=a")).toBe(
      '{"errors":["Get \\"http://10.1.1.1:81/a\\": dial tcp 10.1.1.1:81: connect: connection refused"]}',
    );
    expect(contacts.map(({ protocol = "TCP", port }) => `${protocol} ${port}`)).toEqual([
      "TCP 80",
      "TCP 80",
      "UDP 82",
      "TCP 81",
    ]);
  });

  test("answers /shell with the script's output, and keeps the files that it changes", () => {
    const edits = [{ atMs: startMs, path: "/a", text: "1" }];
    const run = () => ({ text: "out\n", exitCode: 3, edits });
    const page = netexec("/shell?cmd=ls", { run });
    expect(page.body).toBe('{"error":"exit status 3","output":"out\\n"}');
    expect(page.edits).toContainEqual(edits[0]);
  });

  test("answers an upload with the name of the stored file", () => {
    const body = '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\ntext\r\n--b--\r\n';
    const page = netexec("/upload", {
      method: "POST",
      headers: [["content-type", "multipart/form-data; boundary=b"]],
      body,
    });
    expect(page.status).toBe(201);
    const [, path = ""] = /^\{"output":"(\/uploads\/upload\d+)"\}$/.exec(page.body) ?? [];
    expect(page.edits).toContainEqual({ path, text: "text", mode: 0o700 });
  });

  test.each([
    ["hostName\n", "web-0"],
    ["echo Hi", "hi"],
    ["serverport", "8081"],
    ["what", ""],
  ])("answers the datagram %j with %j", (data, body) => {
    expect(netexec("/", { data, protocol: "UDP", port: 8081 }).body).toBe(body);
  });

  test("exits on /shutdown and /exit", () => {
    expect(netexec("/shutdown").edits).toContainEqual(ending(0));
    expect(netexec("/exit?code=3&wait=2s")).toMatchObject({ tookMs: 2000 });
    expect(netexec("/exit?wait=x").edits).not.toContainEqual(ending(0));
  });
});

describe("other servers of agnhost", () => {
  test("porter answers with the value of its variable, in the format of its argument", () => {
    const words = ["TCP/80=foo", "UDP/80=bar", 'TCP/81=<a href="/x">y</a>'];
    const porter = (kind: string, more: Partial<Visit>) => answered(porterAnswer, [kind, ...words], "/", more);
    expect(porter("plain", { port: 80 })).toMatchObject({ body: "foo", contentType: "text/plain; charset=utf-8" });
    expect(porter("plain", { port: 80, protocol: "UDP", data: "?" }).body).toBe("bar");
    expect(porter("plain", { port: 81 }).contentType).toBe("text/html; charset=utf-8");
    expect(porter("json", { port: 80, method: "PUT" }).body).toBe('{"Method":"PUT","Body":"foo"}');
  });

  test("guestbook answers with the value that was set, and a replica with its primary's value", () => {
    const files = new Files();
    const ask = (path: string, words: readonly string[], more: Partial<Visit> = {}) =>
      answered(guestbookAnswer, words, path, { files, ...more });
    const set = ask("/set?key=a&value=b", ["", "6379"]);
    expect(set.body).toBe('{"message":"Updated"}');
    for (const { path, text } of set.edits ?? []) files.set(path, { text, mode: 0o644, changedMs: 0 });
    expect(ask("/get?key=a", ["", "6379"]).body).toBe('{"data":"b"}');
    expect(ask("/get", ["", "6379"]).body).toBe('{"data":{"a":"b"}}');
    expect(ask("/set", ["", "6379"]).status).toBe(400);
    const reach = ({ request }: Contact) =>
      ({ kind: "answered", answer: { status: 200, contentType: "", body: request?.path ?? "" } }) as const;
    const run = () => ({ text: "10.96.0.9  agnhost-primary\n", exitCode: 0, edits: [] });
    expect(ask("/get?key=a", ["agnhost-primary", "6379"], { reach, run }).body).toBe("/get?key=a");
    expect(ask("/guestbook?cmd=set&key=a&value=b", ["", "6379"], { reach, run }).body).toBe("/set?key=a&value=b");
    expect(ask("/guestbook?cmd=x", ["", "6379"]).status).toBe(400);
  });

  test("nettest answers with the pods that wrote to it", () => {
    const files = new Files();
    const ask = (path: string, body = "") => answered(nettestAnswer, ["1"], path, { files, body });
    expect(ask("/status").body).toBe("running");
    const [edit] = ask("/write", '{"Source":"prestop"}').edits ?? [];
    files.set(edit?.path ?? "", { text: edit?.text, mode: 0o644, changedMs: 0 });
    expect(JSON.parse(ask("/read").body)).toMatchObject({ Hostname: "web-0", Received: { prestop: 1 } });
    expect(ask("/status").body).toBe("pass");
    expect(ask("/write", "no JSON").edits).toBeUndefined();
  });

  test("test-webserver serves the container's files, and liveness is healthy for ten seconds", () => {
    const files = filesWith({ "/results/a@b.c": "OK\n" });
    expect(answered(testWebserverAnswer, [], "/results/a@b.c", { files }).body).toBe("OK\n");
    expect(answered(testWebserverAnswer, [], "/results/nope", { files }).status).toBe(404);
    const well = (seconds: number) =>
      answered((visit) => livenessAnswer(visit, startMs), [], "/healthz", { nowMs: startMs + seconds * 1000 }).status;
    expect([well(10), well(11)]).toEqual([200, 500]);
  });
});

describe("agnhost webhook", () => {
  const json = [["content-type", "application/json"]] as const;
  const review = (path: string, request: object, words: readonly string[] = [""]) => {
    const body = JSON.stringify({
      kind: "AdmissionReview",
      apiVersion: "admission.k8s.io/v1",
      request: { uid: "u", ...request },
    });
    const page = answered(webhookAnswer, words, path, { method: "POST", headers: json, body });
    const { response } = JSON.parse(page.body) as {
      response: { allowed: boolean; patch?: string; status?: object; uid: string };
    };
    const patch = response.patch === undefined ? undefined : (JSON.parse(atob(response.patch)) as unknown);
    return { allowed: response.allowed, uid: response.uid, status: response.status, patch, tookMs: page.tookMs };
  };
  const labels = (ownLabels: object | undefined) => ({ object: { metadata: ownLabels ? { labels: ownLabels } : {} } });
  const data = (ownData: object, operation = "CREATE") => ({
    operation,
    object: { data: ownData },
    oldObject: { data: ownData },
  });

  test.each([
    ["/always-deny", {}, { allowed: false, uid: "u" }],
    ["/always-allow-delay-5s", {}, { allowed: true, tookMs: 5000 }],
    [
      "/add-label",
      labels(undefined),
      { patch: [{ op: "add", path: "/metadata/labels", value: { "added-label": "yes" } }] },
    ],
    ["/add-label", labels({ a: "b" }), { patch: [{ op: "add", path: "/metadata/labels/added-label", value: "yes" }] }],
    ["/add-label", labels({ "added-label": "yes" }), { allowed: true, patch: undefined }],
    ["/pods", labels({ "webhook-e2e-test": "webhook-disallow" }), { allowed: false }],
    ["/pods", labels({ "webhook-e2e-test": "wait-forever" }), { tookMs: null }],
    ["/pods", { object: { spec: { containers: [{ name: "webhook-disallow" }] } } }, { allowed: false }],
    ["/configmaps", data({ "webhook-e2e-test": "webhook-disallow" }), { allowed: false }],
    ["/configmaps", data({ "webhook-e2e-test": "webhook-nondeletable" }, "DELETE"), { allowed: false }],
    ["/configmaps", data({ "webhook-e2e-test": "webhook-nondeletable" }), { allowed: true }],
    [
      "/mutating-configmaps",
      data({ "mutation-start": "yes" }),
      { patch: [{ op: "add", path: "/data/mutation-stage-1", value: "yes" }] },
    ],
    [
      "/mutating-custom-resource",
      data({ "mutation-stage-1": "yes" }),
      { patch: [{ op: "add", path: "/data/mutation-stage-2", value: "yes" }] },
    ],
    ["/crd", labels({ "webhook-e2e-test": "webhook-disallow" }), { allowed: false }],
    [
      "/pods/attach",
      { name: "to-be-attached-pod", object: { stdin: true, container: "container1" } },
      { allowed: false },
    ],
  ])("decides %s of %j", (path, request, expected) => {
    const decided = review(path, request);
    const never = decided.tookMs === Number.POSITIVE_INFINITY ? { ...decided, tookMs: null } : decided;
    expect(never).toMatchObject(expected);
  });

  test("answers 400 to a body that is not an AdmissionReview", () => {
    const ask = (body: string) =>
      answered(webhookAnswer, [""], "/pods", { method: "POST", headers: json, body }).status;
    expect([ask("{"), ask("{}")]).toEqual([400, 400]);
  });
});

test("agnhost's conversion webhook converts between its example's versions, and reports versions that it cannot convert", () => {
  const ask = (desiredAPIVersion: string, ...objects: object[]) => {
    const body = JSON.stringify({ kind: "ConversionReview", request: { uid: "u", desiredAPIVersion, objects } });
    const page = answered(crdConversionAnswer, [], "/crdconvert", { method: "POST", body });
    return (JSON.parse(page.body) as { response: { convertedObjects: object[]; result: object } }).response;
  };
  const [v1, v2] = ["stable.example.com/v1", "stable.example.com/v2"];
  expect(ask(v2, { apiVersion: v1, hostPort: "a:1" }).convertedObjects).toEqual([
    { apiVersion: v2, host: "a", port: "1" },
  ]);
  expect(ask(v1, { apiVersion: v2, host: "a", port: "1" }).convertedObjects).toEqual([
    { apiVersion: v1, hostPort: "a:1" },
  ]);
  expect(ask(v2, { apiVersion: v1, hostPort: "a" }).result).toMatchObject({
    status: "Failure",
    message: "invalid hostPort value `a`",
  });
});

test("the sample API server stores flunders", () => {
  const files = new Files();
  const path = "/apis/wardle.example.com/v1alpha1/namespaces/default/flunders";
  const ask = (method: string, at: string, body = "") => {
    const page = answered(sampleApiAnswer, [], at, { method, body, files });
    for (const edit of page.edits ?? []) files.append(edit.path, edit.text ?? "", { mode: 0o644, changedMs: 0 });
    return { status: page.status, body: JSON.parse(page.body) as { items?: object[]; reason?: string } };
  };
  const flunder = JSON.stringify({ kind: "Flunder", metadata: { name: "a" } });
  expect(ask("POST", path, flunder).status).toBe(201);
  expect(ask("POST", path, flunder)).toMatchObject({ status: 409, body: { reason: "AlreadyExists" } });
  expect(ask("GET", path).body.items).toMatchObject([
    { kind: "Flunder", metadata: { name: "a", namespace: "default" } },
  ]);
  expect(ask("PATCH", `${path}/a`, '{"spec":{"x":1}}').body).toMatchObject({ spec: { x: 1 }, metadata: { name: "a" } });
  expect(ask("DELETE", `${path}/a`).status).toBe(200);
  expect(ask("GET", path).body.items).toEqual([]);
  expect(ask("GET", `${path}/a`).status).toBe(404);
});
