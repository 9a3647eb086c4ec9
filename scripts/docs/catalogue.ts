// The pages of the documentation site in their groups. Each is a Markdown file of the checkout.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface DocsPage {
  /** Path of the Markdown file in the checkout. */
  readonly source: string;
  /** Path of the page on the service. */
  readonly url: string;
  readonly title: string;
}

export interface DocsGroup {
  readonly title: string;
  readonly pages: readonly DocsPage[];
}

/** A source, or a source with its URL below /docs/ and a title that is shorter than its heading. */
type Entry = string | readonly [source: string, name: string, title: string];

const groups: Readonly<Record<string, readonly Entry[]>> = {
  "": [["README.md", "", "Overview"]],
  "Use a sandbox": [
    ["docs/api.md", "api", "Control API"],
    ["docs/console.md", "console", "Console"],
    "docs/containers.md",
    ["docs/node-tools.md", "node-tools", "Tools of a node"],
    ["docs/images.md", "own-images", "Images"],
    ["docs/terminal.md", "terminal", "Terminal"],
    ["docs/access.md", "access", "Access"],
    ["docs/snapshots.md", "snapshots", "Snapshots"],
    ["docs/time.md", "time", "Time"],
    ["docs/recordings.md", "recordings", "Recordings"],
    ["docs/faults.md", "faults", "Faults"],
    ["docs/operators.md", "operators", "Operators"],
    ["docs/scheduling.md", "scheduling", "Scheduling"],
    ["docs/WEBHOOKS.md", "webhooks", "Webhooks and tunnels"],
    ["docs/nodes.md", "nodes", "Real nodes"],
    ["docs/SIMULATED.md", "simulated", "Simulated parts"],
    ["docs/CHARTS.md", "charts", "Helm charts"],
  ],
  "Teach and embed": [
    ["docs/courses.md", "courses", "Courses"],
    ["docs/exams.md", "exams", "Exams"],
    ["docs/lti.md", "lti", "Learning platforms"],
    ["docs/embedding.md", "embedding", "Embedding"],
    ["docs/templates.md", "templates", "Templates and events"],
  ],
  Test: [
    ["docs/ci.md", "ci", "CI"],
    ["docs/versions.md", "versions", "Kubernetes versions"],
    ["client/README.md", "client", "JavaScript and command line"],
    ["sdk/go/README.md", "go", "Go"],
    ["sdk/python/README.md", "python", "Python"],
    ["sdk/java/README.md", "java", "Java"],
  ],
  Operate: [
    "docs/configuration.md",
    "docs/deploy.md",
    "docs/runbook.md",
    ["docs/tenants.md", "tenants", "Organisations and keys"],
    "docs/security.md",
  ],
  Contribute: [
    ["ARCHITECTURE.md", "architecture", "Architecture"],
    ["worker/store/README.md", "rooms/store", "Store"],
    ["worker/runtime/README.md", "rooms/runtime", "Turns and crashes"],
    ["worker/cluster/README.md", "rooms/cluster", "Cluster"],
    ["worker/containers/README.md", "rooms/containers", "Kubelet and containers"],
    ["worker/edge/README.md", "rooms/edge", "Edge"],
    ["docs/SPEC.md", "spec", "Specification"],
    ["docs/testing.md", "testing", "Testing"],
    "docs/releasing.md",
    ["docs/parity.md", "parity", "Parity"],
    ["docs/conformance.md", "conformance", "Conformance"],
    ["docs/benchmarks.md", "benchmarks", "Benchmarks"],
    ["docs/optimizations.md", "optimizations", "Optimizations"],
    ["CHANGELOG.md", "changelog", "Changelog"],
  ],
};

/** Returns the groups with the titles of their pages. The decisions are the last group, in the order of their numbers. */
export function docsGroups(root: string): DocsGroup[] {
  const decisions = globSync("docs/decisions/*.md", { cwd: root }).sort();
  return Object.entries({ ...groups, Decisions: decisions }).map(([title, entries]) => ({
    title,
    pages: entries.map((entry) => pageOf(root, entry)),
  }));
}

function pageOf(root: string, entry: Entry): DocsPage {
  if (typeof entry !== "string") {
    const [source, name, title] = entry;
    return { source, url: name ? `/docs/${name}` : "/docs", title };
  }
  const [, title = entry] = /^# (.+)$/m.exec(readFileSync(join(root, entry), "utf8")) ?? [];
  return { source: entry, url: `/${entry.replace(/\.md$/, "")}`, title };
}
