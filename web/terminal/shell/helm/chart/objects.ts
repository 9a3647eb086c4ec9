// The objects that templates see beside values: Chart, Files, Capabilities and Release.
import { base64Of } from "../../../../../shared/base/base64.ts";
import { bytesOfText } from "../../../../../shared/base/byte-text.ts";
import { isObject, type JsonObject, setKey } from "../../../../../shared/schema/json-values.ts";
import { yamlText } from "../functions/data.ts";
import { isNil, stringOf, Struct } from "../template/values.ts";
import type { Chart, ChartFile, Dependency } from "./chart.ts";
import { globPattern } from "./glob.ts";

export interface Capabilities {
  /** The version of the cluster: `v1.36.0`. */
  readonly kubeVersion: string;
  /** Group versions, and group versions with kinds: `apps/v1/Deployment`. */
  readonly apiVersions: ReadonlySet<string>;
}

/** The version of Helm whose behaviour is simulated. */
export const helmVersion = "v3.21.4";

export function capabilitiesStruct({ kubeVersion, apiVersions }: Capabilities): Struct {
  const [, major = "", minor = ""] = /^v?(\d+)\.(\d+)/.exec(kubeVersion) ?? [];
  const version = new Struct(
    "*chartutil.KubeVersion",
    { Version: kubeVersion, Major: major, Minor: minor },
    { text: kubeVersion, methods: { GitVersion: () => kubeVersion, String: () => kubeVersion } },
  );
  const sorted = [...apiVersions].sort();
  return new Struct("*chartutil.Capabilities", {
    KubeVersion: version,
    APIVersions: new Struct(
      "chartutil.VersionSet",
      {},
      { text: `[${sorted.join(" ")}]`, json: sorted, methods: { Has: (name) => apiVersions.has(stringOf(name)) } },
    ),
    HelmVersion: new Struct("helmversion.BuildInfo", {
      Version: helmVersion,
      GitCommit: "",
      GitTreeState: "",
      GoVersion: "go1.26",
    }),
  });
}

const text = (value: unknown) => (isNil(value) ? "" : stringOf(value));

function dependencyStruct(dependency: Dependency): Struct {
  const { name, version, repository, condition, tags, enabled, importValues, alias } = dependency;
  return new Struct(
    "*chart.Dependency",
    {
      Name: name,
      Version: version,
      Repository: repository,
      Condition: condition,
      Tags: tags,
      Enabled: enabled,
      ImportValues: importValues,
      Alias: alias,
    },
    { json: dependency.source },
  );
}

export function chartStruct(chart: Chart): Struct {
  const { metadata } = chart;
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
  return new Struct(
    "chart.Metadata",
    {
      Name: chart.name,
      Home: text(metadata.home),
      Sources: list(metadata.sources),
      Version: text(metadata.version),
      Description: text(metadata.description),
      Keywords: list(metadata.keywords),
      Maintainers: list(metadata.maintainers)
        .filter(isObject)
        .map(
          (item) =>
            new Struct(
              "*chart.Maintainer",
              { Name: text(item.name), Email: text(item.email), URL: text(item.url) },
              { json: item },
            ),
        ),
      Icon: text(metadata.icon),
      APIVersion: text(metadata.apiVersion),
      Condition: text(metadata.condition),
      Tags: text(metadata.tags),
      AppVersion: text(metadata.appVersion),
      Deprecated: metadata.deprecated === true,
      Annotations: isObject(metadata.annotations) ? metadata.annotations : {},
      KubeVersion: text(metadata.kubeVersion),
      Dependencies: chart.requirements.map(dependencyStruct),
      Type: text(metadata.type),
      IsRoot: chart.parent === undefined,
    },
    { json: metadata },
  );
}

export function filesStruct(files: readonly ChartFile[]): Struct {
  const map: JsonObject = {};
  for (const file of files) setKey(map, file.name, file.text);
  const get = (name: unknown) => files.find((file) => file.name === name)?.text ?? "";
  const byBase = (encode: (content: string) => string) => {
    const entries: JsonObject = {};
    for (const file of files) setKey(entries, file.name.slice(file.name.lastIndexOf("/") + 1), encode(file.text));
    return yamlText(entries);
  };
  return new Struct(
    "engine.files",
    {},
    {
      map,
      methods: {
        Get: get,
        GetBytes: get,
        Glob: (pattern) => {
          const matches = globPattern(stringOf(pattern));
          return filesStruct(files.filter(({ name }) => matches(name)));
        },
        AsConfig: () => byBase((content) => content),
        AsSecrets: () => byBase((content) => base64Of(bytesOfText(content))),
        Lines: (name) => {
          const content = get(name);
          return content === "" ? [] : content.replace(/\n$/, "").split("\n");
        },
      },
    },
  );
}
