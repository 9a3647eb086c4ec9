// The field that chooses the Kubernetes version of a new sandbox.
import { type KubernetesVersion, newestVersion, supportedVersions } from "../../shared/k8s/settings/release.ts";
import { texts as all } from "../messages/console.ts";
import { ChoiceField } from "../parts/choice-field.tsx";

const texts = all.versionField;

interface Props {
  readonly label: string;
  readonly value: KubernetesVersion;
  readonly change: (version: KubernetesVersion) => void;
  readonly error: string | undefined;
}

export function VersionField({ label, value, change, error }: Props) {
  return (
    <ChoiceField
      label={label}
      value={value}
      error={error}
      choices={supportedVersions
        .toReversed()
        .map((version) => [version, version === newestVersion ? texts.newest(version) : version])}
      change={(text) => change(supportedVersions.find((version) => version === text) ?? newestVersion)}
    />
  );
}
