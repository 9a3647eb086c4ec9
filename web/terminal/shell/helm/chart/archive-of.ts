// Packs a chart into an archive.
import { bytesOfText } from "../../../../../shared/base/byte-text.ts";
import { goYaml } from "../../../../kubectl/print/yaml.ts";
import { plain } from "../template/values.ts";
import { gzip, writeTar } from "./archive.ts";
import { type Chart, versionIn } from "./chart.ts";

/** Returns the bytes of a .tgz file. A changed version is written into Chart.yaml. */
export function chartArchive(
  chart: Chart,
  seconds: number,
  { version, appVersion }: { readonly version: string; readonly appVersion: string },
): Promise<Uint8Array<ArrayBuffer>> {
  const isChanged = version !== versionIn(chart) || appVersion !== "";
  const metadata = { ...chart.metadata, version, ...(appVersion === "" ? {} : { appVersion }) };
  const definition = goYaml(plain(metadata));
  const order = (name: string) => (name === "Chart.yaml" ? 0 : name === "values.yaml" ? 1 : 2);
  const entries = [...chart.raw]
    .sort((a, b) => order(a.name) - order(b.name))
    .map(({ name, text }) => ({
      name: `${chart.name}/${name}`,
      bytes: bytesOfText(isChanged && name === "Chart.yaml" ? definition : text),
    }));
  return gzip(writeTar(entries, seconds));
}
