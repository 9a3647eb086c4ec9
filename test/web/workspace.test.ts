// The workspace around a sandbox's page: the palette's search, the dock's tabs, and the creation of objects from text.
import { describe, expect, test } from "vitest";
import type { Discovery, Mapping } from "../../web/kubectl/cluster/discovery.ts";
import { newDockTabs } from "../../web/dock/tabs.ts";
import { mostDocuments, readManifests, tryManifests } from "../../web/objects/create/manifests.ts";
import { type Entry, matching, noteRecent } from "../../web/palette/entries.ts";

describe("the palette", () => {
  const entry = (label: string, more: Partial<Entry> = {}): Entry => ({
    id: label,
    group: "Objects",
    label,
    run: () => undefined,
    ...more,
  });
  const all = [
    entry("Webhooks", { group: "Pages" }),
    entry("my-web"),
    entry("web"),
    entry("Scale Deployment web", { line: "kubectl scale deployment/web --replicas=2" }),
    entry("db", { detail: "web-team" }),
    entry("cobweb"),
  ];
  const labels = (query: string) => matching(all, query).map(({ label }) => label);

  test("finds entries with every word: exact names first, then prefixes, then parts of names, then related text", () => {
    expect(labels("web")).toEqual(["web", "Webhooks", "my-web", "Scale Deployment web", "cobweb", "db"]);
    expect(labels("scale web")).toEqual(["Scale Deployment web"]);
    expect(labels("replicas=2")).toEqual(["Scale Deployment web"]);
    expect(labels("nothing")).toEqual([]);
    expect(labels("[.*(")).toEqual([]);
  });

  test("starts with the last choice", () => {
    expect(labels("")[0]).toBe("Webhooks");
    noteRecent(all[4] as Entry);
    expect(labels("").slice(0, 2)).toEqual(["db", "Webhooks"]);
  });

  test("shows a bounded number of results", () => {
    const many = Array.from({ length: 5000 }, (_, at) => entry(`pod-${at}`));
    expect(matching(many, "pod")).toHaveLength(60);
  });
});

describe("the dock's tabs", () => {
  const tabs = () =>
    newDockTabs({ terminal: (number) => `Terminal ${number}`, logs: (name) => `Logs: ${name}` }, [
      { id: "events", kind: "events", title: "Events" },
    ]);
  const titles = (dock: ReturnType<typeof tabs>) => dock.all.value.map(({ title }) => title);

  test("are terminals, named after their pod if they exec, and logs of an object once", () => {
    const dock = tabs();
    expect([titles(dock), dock.shownId.value]).toEqual([["Events"], undefined]);
    dock.showTerminal();
    dock.addTerminal("kubectl exec -it web-1 -n default -c main -- sh");
    const of = { resource: "pods", namespace: "default", name: "web-1" };
    dock.addLogs(of);
    dock.show("events");
    dock.addLogs(of);
    expect(titles(dock)).toEqual(["Events", "Terminal 1", "web-1", "Logs: web-1"]);
    expect(dock.shownId.value).toBe("logs-pods/default/web-1");
    dock.showTerminal();
    expect(dock.shownId.value).toBe("terminal-2");
  });

  test("are shown two at a time, a new terminal if there is no other, and change places", () => {
    const dock = tabs();
    const ids = () => [dock.shownId.value, dock.besideId.value];
    dock.addTerminal();
    dock.split();
    expect([titles(dock), ids()]).toEqual([
      ["Events", "Terminal 1", "Terminal 2"],
      ["terminal-1", "terminal-2"],
    ]);
    dock.show("terminal-2");
    expect(ids()).toEqual(["terminal-2", "terminal-1"]);
    dock.close("terminal-2");
    expect(ids()).toEqual(["terminal-1", undefined]);
    dock.addTerminal();
    dock.split();
    expect(ids()).toEqual(["terminal-3", "terminal-1"]);
    dock.split();
    expect([titles(dock).length, ids()]).toEqual([3, ["terminal-3", undefined]]);
  });

  test("are shown with a chosen one beside, which trades places with a terminal if it is the visible one", () => {
    const dock = newDockTabs({ terminal: (number) => `Terminal ${number}`, logs: (name) => name }, [
      { id: "live", kind: "live", title: "Live view" },
    ]);
    const ids = () => [dock.shownId.value, dock.besideId.value];
    dock.addTerminal();
    dock.split("live");
    expect(ids()).toEqual(["terminal-1", "live"]);
    dock.split("live");
    expect(ids()).toEqual(["terminal-1", undefined]);
    dock.show("live");
    dock.split("live");
    expect(ids()).toEqual(["terminal-1", "live"]);
    dock.show("live");
    dock.showTerminal();
    expect(ids()).toEqual(["terminal-1", "live"]);
    // Another tab takes the place of the one beside, and the fixed tab stays.
    dock.addTerminal();
    dock.split("terminal-1");
    expect(ids()).toEqual(["terminal-2", "terminal-1"]);
    dock.close("terminal-2");
    dock.close("terminal-1");
    expect(ids()).toEqual(["live", undefined]);
  });

  test("activate the next tab when one is closed, and close the dock with the last", () => {
    const dock = tabs();
    dock.addTerminal();
    dock.addTerminal();
    dock.show("terminal-1");
    dock.close("terminal-1");
    expect(dock.shownId.value).toBe("terminal-2");
    dock.close("terminal-2");
    expect([titles(dock), dock.shownId.value]).toEqual([["Events"], undefined]);
  });
});

describe("creation from a text", () => {
  const config = (name: string, more = "") => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}`;

  test("reads documents and lists, and reports problems with their lines", () => {
    const { manifests, problems } = readManifests(
      `# first\n${config("a")}---\n---\napiVersion: v1\nkind: List\nitems:\n- ${JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "b" } })}\n---\nkind: Pod\n---\njust text\n`,
    );
    expect(manifests.map(({ object, lineBefore }) => [object.kind, lineBefore])).toEqual([
      ["ConfigMap", 1],
      ["Pod", 7],
    ]);
    expect(problems.map(({ line }) => line)).toEqual([13, 15]);
    expect(problems[0]?.message).toBe("apiVersion, metadata.name must be set");
    expect(readManifests("a: [").problems[0]?.line).toBe(1);
    expect(readManifests("# nothing\n").problems).toHaveLength(1);
  });

  test("accepts a bounded number of objects", () => {
    const many = (count: number) =>
      readManifests(Array.from({ length: count }, (_, at) => config(`c${at}`)).join("---\n"));
    expect(many(mostDocuments).problems).toEqual([]);
    expect(many(mostDocuments + 1).problems[0]?.message).toContain(String(mostDocuments));
  });

  const mapping = (kind: string, resource: string, namespaced: boolean): Mapping => ({
    group: "",
    version: "v1",
    resource,
    kind,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced,
    verbs: ["get", "list", "patch"],
    subresources: [],
    isPreferred: true,
  });
  const served: Discovery = {
    groups: [],
    resources: [mapping("ConfigMap", "configmaps", true), mapping("Namespace", "namespaces", false)],
  };

  /** Returns a cluster that refuses objects named `bad` at a field, and objects named `owned` as another manager's. */
  function cluster() {
    const sent: string[] = [];
    const request = (path: string, init: RequestInit = {}) => {
      sent.push(`${init.method ?? "GET"} ${path}`);
      const answer = (status: number, body: object) => Promise.resolve(new Response(JSON.stringify(body), { status }));
      if (init.method !== "PATCH") return answer(404, {});
      const causes = [{ field: "data.colour", message: "no" }];
      if (path.includes("/bad")) return answer(422, { reason: "Invalid", message: "wrong", details: { causes } });
      if (path.includes("/owned") && !path.includes("force=true"))
        return answer(409, { reason: "Conflict", message: "owned", details: { causes } });
      return answer(200, JSON.parse(init.body as string) as object);
    };
    return { sent, trial: { request, served, namespace: "shop", isForced: false } };
  }

  test("tries each object in its namespace, and reports refusals at their lines of the text", async () => {
    const { sent, trial } = cluster();
    const read = readManifests(`${config("a")}---\n${config("bad", "data:\n  colour: blue\n")}`);
    const { tried, problems, isConflict } = await tryManifests(read, trial);
    expect(tried.map(({ after }) => after !== undefined)).toEqual([true]);
    expect(problems).toEqual([{ line: 11, message: "ConfigMap bad: data.colour: no" }]);
    expect(isConflict).toBe(false);
    expect(sent.filter((requestLine) => requestLine.startsWith("PATCH"))).toEqual([
      "PATCH /api/v1/namespaces/shop/configmaps/a?fieldManager=sandbar-console&fieldValidation=Strict&dryRun=All",
      "PATCH /api/v1/namespaces/shop/configmaps/bad?fieldManager=sandbar-console&fieldValidation=Strict&dryRun=All",
    ]);
  });

  test("does not try objects that depend on an earlier document", async () => {
    const text = `apiVersion: v1\nkind: Namespace\nmetadata:\n  name: new\n---\n${config("a", "  namespace: new\n")}---\napiVersion: v1\nkind: Widget\nmetadata:\n  name: w\n`;
    const { tried, problems } = await tryManifests(readManifests(text), cluster().trial);
    expect(tried.map(({ after }) => after !== undefined)).toEqual([true, false]);
    expect(problems.map(({ line }) => line)).toEqual([12]);
  });

  test("reports a conflict if only other managers' fields prevent it, which can be taken over", async () => {
    const { trial } = cluster();
    const read = readManifests(config("owned", "data:\n  colour: blue\n"));
    expect((await tryManifests(read, trial)).isConflict).toBe(true);
    expect(await tryManifests(read, { ...trial, isForced: true })).toMatchObject({ problems: [], isConflict: false });
  });
});
