// Rules of the source tree: the import table, cycles, lengths, and restrictions of each room.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { titledCall } from "./titles.ts";

const root = resolve(import.meta.dirname, "..");
const maxFileLines = 500;
const maxFunctionLines = 70;
const maxFolderEntries = 30;
/** Folders with an entry for each controller, plugin or generated API group: they are read by name, not from top to bottom. */
const catalogues = ["worker/controllers", "worker/admission", "shared/k8s/api"];

/**
 * The paths that each room may import beside its own files: the table of ARCHITECTURE.md. A path is a file; a name that ends in / is a
 * folder.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  "worker/kinds": ["shared/"],
  "worker/store": ["shared/"],
  "worker/registry": ["worker/kinds/kind.ts", "worker/store/", "shared/"],
  "worker/admission": ["worker/registry/admission.ts", "worker/registry/client.ts", "worker/kinds/", "shared/"],
  "worker/access": ["worker/store/", "worker/kinds/", "shared/"],
  "worker/runtime": ["worker/registry/", "worker/store/", "worker/kinds/kind.ts", "shared/"],
  "worker/controllers": [
    "worker/runtime/controller.ts",
    "worker/runtime/events.ts",
    "worker/registry/client.ts",
    "worker/kinds/",
    "shared/",
  ],
  "worker/scheduler": [
    "worker/runtime/controller.ts",
    "worker/runtime/events.ts",
    "worker/registry/client.ts",
    "worker/controllers/common/",
    "worker/kinds/",
    "shared/",
  ],
  "worker/kubelet": [
    "worker/runtime/controller.ts",
    "worker/runtime/events.ts",
    "worker/registry/client.ts",
    "worker/containers/cri.ts",
    "worker/machine/",
    "worker/kinds/",
    "shared/",
  ],
  "worker/containers": [
    "worker/runtime/controller.ts",
    "worker/registry/client.ts",
    "worker/controllers/common/",
    "worker/machine/",
    "worker/kinds/",
    "shared/",
  ],
  "worker/machine": ["shared/"],
  "worker/api": ["worker/registry/", "worker/store/", "worker/kinds/kind.ts", "shared/"],
  "worker/cluster": ["worker/", "shared/"],
  "worker/tenant": [
    "worker/store/sql.ts",
    "worker/store/versions.ts",
    "worker/cluster/do-sql.ts",
    "worker/cluster/opening.ts",
    "worker/cluster/figures/usage-meter.ts",
    "worker/cluster/lifecycle/object-copies.ts",
    "worker/cluster/turns/service-ready.ts",
    "worker/cluster/outside/transports.ts",
    "worker/lti/",
    "worker/metrics/",
    "shared/",
  ],
  "worker/metrics": ["shared/"],
  "worker/lti": ["worker/cluster/outside/transports.ts", "shared/"],
  "worker/edge": ["shared/", "worker/lti/", "worker/metrics/", "worker/env.ts", "worker/cluster/object.ts"],
  worker: ["worker/", "shared/"],
  "web/kubectl": ["shared/"],
  "web/terminal/shell": ["web/kubectl/", "shared/"],
  web: ["shared/"],
  client: ["shared/base/", "shared/contract/", "shared/lesson/", "shared/shell/", "shared/x509/"],
};
/** Tests whose paths start with these name a rule in their titles. */
const testsWithRules = [
  "test/store/",
  "test/registry/",
  "test/runtime/",
  "test/access/",
  "test/admission/resource-quota",
  "test/edge/credential",
  "test/edge/sandbox-proxy",
  "test/edge/sandbox-tokens",
  "test/api/list",
  "test/api/watch",
];
const synchronousRooms = [
  "shared/shell",
  "worker/kinds",
  "worker/store",
  "worker/registry",
  "worker/admission",
  "worker/access",
  "worker/runtime",
  "worker/controllers",
  "worker/scheduler",
  "worker/kubelet",
  "worker/containers",
  "worker/machine",
];
const clockRooms = [
  "worker/cluster",
  "worker/edge",
  "worker/tenant/object.ts",
  "worker/metrics/object.ts",
  "shared/base",
  "web",
  "client",
];
const sqlRooms = [
  "worker/containers/databases",
  "worker/containers/products/mysql",
  "worker/containers/products/postgres",
  "worker/store",
  "worker/tenant",
  "worker/edge/db",
  "worker/runtime/queue.ts",
  "worker/cluster/tokens.ts",
];

const files = ["shared", "worker", "web", "client"]
  .flatMap((room) => sourcesBelow(join(root, room)))
  .map((path) => relative(root, path));
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));
const handWritten = files.filter((file) => !file.startsWith("shared/k8s/api/"));
const imports = new Map(files.map((file) => [file, importsOf(file)]));

const titles = sourcesBelow(join(root, "test")).flatMap((path) =>
  titlesIn(relative(root, path), readFileSync(path, "utf8")),
);

describe("T: the rules of the source tree", () => {
  test("T1: every room imports only what the table allows", () => {
    const broken = [...imports].flatMap(([file, targets]) =>
      targets.filter((target) => !allowed(file, target)).map((target) => `${file} imports ${target}`),
    );
    expect(broken).toEqual([]);
  });

  test("T1: the interface between kubelets and containers contains only types", () => {
    const file = "worker/containers/cri.ts";
    const source = ts.createSourceFile(file, texts.get(file) ?? "", ts.ScriptTarget.Latest);
    const isTyped = (statement: ts.Statement) =>
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement) ||
      (ts.isImportDeclaration(statement) && statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword) ||
      (ts.isExportDeclaration(statement) && statement.isTypeOnly);
    expect(
      source.statements.filter((statement) => !isTyped(statement)).map((statement) => statement.getText(source)),
    ).toEqual([]);
  });

  test("T1: a controller imports no other controller, only files in common/", () => {
    const room = "worker/controllers/";
    const componentOf = (file: string) => file.slice(room.length).split("/")[0];
    const broken = [...imports]
      .filter(([file]) => file.startsWith(room) && file !== `${room}catalogue.ts`)
      .flatMap(([file, targets]) =>
        targets
          .filter((to) => to.startsWith(room) && ![componentOf(file), "common"].includes(componentOf(to)))
          .map((to) => `${file} imports ${to}`),
      );
    expect(broken).toEqual([]);
  });

  test(`T1: no folder of worker/ and shared/ has more than ${maxFolderEntries} entries, except catalogues`, () => {
    const entries = new Map<string, Set<string>>();
    for (const file of files.filter((sourceFile) => inRoom(sourceFile, ["worker", "shared"]))) {
      for (let path = file; dirname(path) !== "."; path = dirname(path)) {
        entries.set(dirname(path), (entries.get(dirname(path)) ?? new Set()).add(path));
      }
    }
    const crowded = [...entries].filter(([folder, all]) => all.size > maxFolderEntries && !catalogues.includes(folder));
    expect(crowded.map(([folder, all]) => `${folder}: ${all.size}`)).toEqual([]);
  });

  test("T2: imports have no cycles, including imports of types", () => {
    expect(circles()).toEqual([]);
  });

  test(`T3: no file is longer than ${maxFileLines} lines`, () => {
    expect(handWritten.filter((file) => lines(file) > maxFileLines)).toEqual([]);
  });

  test(`T3: no function is longer than ${maxFunctionLines} lines`, () => {
    expect(handWritten.flatMap(longFunctions)).toEqual([]);
  });

  test("T4: everything below HTTP is synchronous", () => {
    const broken = handWritten.filter((file) => inRoom(file, synchronousRooms) && /\b(async|await)\b/.test(code(file)));
    expect(broken).toEqual([]);
  });

  test("T5: clocks, randomness, timers and the console are read only where they are provided", () => {
    const pattern = /\bDate\.now\b|\bMath\.random\b|\bsetTimeout\b|\bsetInterval\b|\bconsole\.|\bnew Date\(\)/;
    expect(handWritten.filter((file) => !inRoom(file, clockRooms) && pattern.test(code(file)))).toEqual([]);
  });

  test("T6: SQL is only in the store, in the edge's database and in simulated databases", () => {
    const pattern = /["'`]\s*(SELECT |INSERT (INTO|OR)|UPDATE \w+ SET|DELETE FROM|CREATE TABLE)/;
    expect(handWritten.filter((file) => !inRoom(file, sqlRooms) && pattern.test(texts.get(file) ?? ""))).toEqual([]);
  });

  test("T7: every file starts with a comment about its responsibility", () => {
    expect(handWritten.filter((file) => !(texts.get(file) ?? "").startsWith("// "))).toEqual([]);
  });

  test("T8: the registry and the API name no kind", () => {
    const pattern = /\bkind\.(kind|plural) [!=]== "(?!namespaces")/;
    const rooms = ["worker/registry", "worker/api/verbs", "worker/api/handler.ts", "worker/api/endpoints.ts"];
    expect(handWritten.filter((file) => inRoom(file, rooms) && pattern.test(code(file)))).toEqual([]);
  });
  test("T9: regular expressions are constants, and none is created while the service runs", () => {
    expect(handWritten.filter((file) => !file.startsWith("web/")).flatMap((file) => madeExpressions(file))).toEqual([]);
  });

  test("T10: every rule of the specification has a test whose title begins with it", () => {
    const proved = new Set(titles.flatMap(({ rules }) => rules));
    expect(rulesOf(readFileSync(join(root, "docs/SPEC.md"), "utf8")).filter((rule) => !proved.has(rule))).toEqual([]);
  });

  test("T10: rules of the specification have unique names", () => {
    const rules = rulesOf(readFileSync(join(root, "docs/SPEC.md"), "utf8"));
    expect(rules.filter((rule, at) => rules.indexOf(rule) !== at)).toEqual([]);
  });

  test("T10: every title that begins with a rule names one of the specification", () => {
    const specifiedRules = new Set(rulesOf(readFileSync(join(root, "docs/SPEC.md"), "utf8")));
    const unknown = titles.filter(({ rules }) => rules.some((rule) => !specifiedRules.has(rule)));
    expect(unknown.map(({ file, title }) => `${file}: ${title}`)).toEqual([]);
  });

  test("T10: tests of the rooms with specified behaviour name a rule", () => {
    const nameless = titles.filter(
      ({ file, rules }) => rules.length === 0 && testsWithRules.some((start) => file.startsWith(start)),
    );
    expect(nameless.map(({ file, title }) => `${file}: ${title}`)).toEqual([]);
  });

  test.each([
    ['describe("S1: a", () => { test("b", () => {}); test("W2: c", () => {}); });', ["S1", "S1 W2"]],
    ['test.for([1])("T10: of %i", () => {}); it.each`x`(`R2: ${1}`, () => {});', ["T10", "R2"]],
    ['const rule = test; rule("Q3: d", () => {}); test("an S1: e", () => {}); other("S1: f");', ["Q3", ""]],
  ])("T10: the titles of %j have the rules %j", (text, expected) => {
    expect(titlesIn("a.ts", text).map(({ rules }) => rules.join(" "))).toEqual(expected);
  });

  test.each([
    ["const form = /a+/; const whole = new RegExp(`^${form.source}$`);", 0],
    ["function f(text: string): RegExp { return /a/; }", 0],
    ["const form = /a/g; function f(text: string) { return [...text.matchAll(form), ...(text.match(/b/) ?? [])]; }", 0],
    ["const f = (text: string) => { const form = /a/g; return text.search(form); };", 0],
    ["class A { form = new RegExp(input); }", 1],
    ["const f = (text: string) => new RegExp(text);", 1],
    ["const f = (text: string) => RegExp(text).test(text);", 1],
    ["const Made = RegExp; const f = (text: string) => new Made(text);", 1],
    ["const f = (text: string) => Reflect.construct(globalThis.RegExp, [text]);", 1],
    ["const f = (text: string, pattern: string) => text.match(pattern);", 1],
    ["const f = (text: string, pattern: string) => text.search(`^${pattern}`);", 1],
    ["const f = (text: string, pattern: string) => [...text.matchAll(pattern)];", 1],
  ])("T9: the expressions created in %j are counted as %d", (text, count) => {
    expect(madeExpressions("a.ts", text)).toHaveLength(count);
  });
});

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith(".d.ts"))
    .map((entry) => join(entry.parentPath, entry.name));
}

function importsOf(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(texts.get(file) ?? "", true, true);
  return importedFiles
    .map(({ fileName }) => fileName)
    .filter((name) => name.startsWith("."))
    .map((name) => relative(root, resolve(root, dirname(file), name)));
}

function roomOf(file: string): string {
  const rooms = Object.keys(mayImport).filter((room) => file.startsWith(`${room}/`));
  return rooms.sort((a, b) => b.length - a.length)[0] ?? "";
}

function allowed(file: string, target: string): boolean {
  const room = roomOf(file);
  if (target.startsWith(`${room}/`)) return true;
  return (mayImport[room] ?? []).some((allowedPath) =>
    allowedPath.endsWith("/") ? target.startsWith(allowedPath) : target === allowedPath,
  );
}

interface Title {
  readonly file: string;
  readonly title: string;
  /** The rules at the beginnings of its title and its groups' titles. */
  readonly rules: readonly string[];
}

/** The titles of the tests in a file: of calls of `test`, `it` and `rule`, also with `each` or `for`, in any `describe`. */
function titlesIn(file: string, text: string): Title[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const titles: Title[] = [];
  const visit = (node: ts.Node, around: readonly string[]): void => {
    const call = ts.isCallExpression(node) ? titledCall(node) : undefined;
    const rules = call ? [...around, ...(/^([A-Z]\d+)\b/.exec(call.title)?.slice(1) ?? [])] : around;
    if (call && call.name !== "describe") titles.push({ file, title: call.title, rules });
    ts.forEachChild(node, (child) => visit(child, rules));
  };
  visit(source, []);
  return titles;
}

/** The ids of the specification: `**S1**`, and `**T1**..**T9**` for all between. */
function rulesOf(specification: string): string[] {
  return [...specification.matchAll(/^- \*\*([A-Z])(\d+)\*\*(?:\.\.\*\*[A-Z](\d+)\*\*)?/gm)].flatMap(
    ([, letter, first, last]) => {
      const [from, to] = [Number(first), Number(last ?? first)];
      return Array.from({ length: to - from + 1 }, (_, at) => `${letter}${from + at}`);
    },
  );
}

function circles(): string[] {
  const state = new Map<string, "open" | "done">();
  const cycles: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    if (state.get(file) === "done") return;
    if (state.get(file) === "open") {
      cycles.push([...trail.slice(trail.indexOf(file)), file].join(" > "));
      return;
    }
    state.set(file, "open");
    for (const target of imports.get(file) ?? []) visit(target, [...trail, file]);
    state.set(file, "done");
  };
  for (const file of files) visit(file, []);
  return cycles;
}

function lines(file: string): number {
  return (texts.get(file) ?? "").split("\n").length - 1;
}

/** The text without comments. */
/** Returns the source without comments, and without embedded programs of other languages, which run in an interpreter. */
function code(file: string): string {
  const source = (texts.get(file) ?? "").replaceAll(/String\.raw`[^`]*`/g, '""');
  return source.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "");
}

function longFunctions(file: string): string[] {
  const source = ts.createSourceFile(file, texts.get(file) ?? "", ts.ScriptTarget.Latest, true);
  const longFunctionNames: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && "body" in node && node.body) {
      const from = source.getLineAndCharacterOfPosition(node.getStart()).line;
      const to = source.getLineAndCharacterOfPosition(node.getEnd()).line;
      if (to - from + 1 > maxFunctionLines) longFunctionNames.push(`${file}:${from + 1} (${to - from + 1} lines)`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return longFunctionNames;
}

/** Lists the places that compile a `RegExp` inside a function or a class, also by `match` with a text, and those that pass `RegExp` on. */
function madeExpressions(file: string, text = texts.get(file) ?? ""): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const places: string[] = [];
  const constants = new Set<string>();
  const report = (node: ts.Node) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    places.push(`${file}:${line + 1} ${node.getText().slice(0, 60)}`);
  };
  const collect = (node: ts.Node): void => {
    const literals = (expression: ts.Node): boolean =>
      ts.isRegularExpressionLiteral(expression) ||
      (ts.isConditionalExpression(expression) && literals(expression.whenTrue) && literals(expression.whenFalse));
    if (ts.isVariableDeclaration(node) && node.initializer && literals(node.initializer))
      constants.add(node.name.getText());
    ts.forEachChild(node, collect);
  };
  const visit = (node: ts.Node, isInside: boolean): void => {
    if (ts.isTypeNode(node)) return;
    if (ts.isIdentifier(node) && node.text === "RegExp") {
      const isMade = ts.isNewExpression(node.parent) && node.parent.expression === node && !isInside;
      const isTold =
        ts.isBinaryExpression(node.parent) && node.parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword;
      if (!isMade && !isTold) report(node.parent);
    }
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && node.arguments.length === 1) {
      const [argument] = node.arguments;
      const isFixed =
        argument &&
        (ts.isRegularExpressionLiteral(argument) || (ts.isIdentifier(argument) && constants.has(argument.text)));
      if (["match", "matchAll", "search"].includes(node.expression.name.text) && !isFixed) report(node);
    }
    const isDeeper = isInside || ts.isFunctionLike(node) || ts.isClassLike(node);
    ts.forEachChild(node, (child) => visit(child, isDeeper));
  };
  collect(source);
  visit(source, false);
  return places;
}

function inRoom(file: string, rooms: readonly string[]): boolean {
  return rooms.some((room) => file === room || file.startsWith(`${room}/`));
}
