// Compares two versions of a template side by side.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Template, TemplateWithParts } from "../../../shared/contract/template.ts";
import type { Control } from "../../api/control.ts";
import { toYaml } from "../../live/yaml.ts";
import { texts } from "../../messages/templates.ts";
import { Alert } from "../../parts/alert.tsx";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { useLoaded } from "../../parts/loaded.ts";

interface Props {
  readonly control: Control;
  readonly versions: readonly Template[];
  readonly current: TemplateWithParts;
}

export function CompareVersions({ control, versions, current }: Props) {
  const otherRefs = versions.filter(({ version }) => version !== current.version).map(({ ref }) => ref);
  const [comparedRef, choose] = useState("");
  if (otherRefs.length === 0) return null;
  const choices = [["", texts.compareNone], ...otherRefs.map((ref) => [ref, ref] as const)] as const;
  return (
    <section class="panel padded wide">
      <ChoiceField label={texts.compare} value={comparedRef} choices={choices} change={choose} />
      {comparedRef !== "" && <Differences key={comparedRef} control={control} from={comparedRef} current={current} />}
    </section>
  );
}

interface DifferencesProps {
  readonly control: Control;
  readonly from: string;
  readonly current: TemplateWithParts;
}

function Differences({ control, from, current }: DifferencesProps) {
  const read = useCallback(() => control.template(from), [control, from]);
  const { value, failure } = useLoaded(read);
  const box = useRef<HTMLDivElement>(null);
  const before = value && textOf(value);
  const after = textOf(current);
  const label = texts.differences(from, current.ref);
  useEffect(() => {
    const parent = box.current;
    if (before === undefined || before === after || !parent) return;
    let end: (() => void) | undefined;
    let left = false;
    void import("../../objects/edit/editor.ts").then(({ showChanges }) => {
      if (!left) end = showChanges(parent, before, after, label);
    });
    return () => {
      left = true;
      end?.();
    };
  }, [before, after, label]);
  return (
    <>
      <Alert text={failure} />
      {before === after && <p>{texts.same}</p>}
      <div class="editor" ref={box} data-diff />
    </>
  );
}

/** Returns the settings, then the manifests as they were written. */
function textOf({ description, parts: contents }: TemplateWithParts): string {
  const { manifests, ...settings } = contents;
  return `${toYaml({ description, ...settings })}---\n${typeof manifests === "string" ? manifests : ""}`;
}
