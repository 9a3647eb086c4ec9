// Two versions of a template side by side: what of their parts differs.
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
  readonly shown: TemplateWithParts;
}

export function CompareVersions({ control, versions, shown }: Props) {
  const others = versions.filter(({ version }) => version !== shown.version).map(({ ref }) => ref);
  const [other, choose] = useState("");
  if (others.length === 0) return null;
  const choices = [["", texts.compareNone], ...others.map((ref) => [ref, ref] as const)] as const;
  return (
    <section class="panel padded wide">
      <ChoiceField label={texts.compare} value={other} choices={choices} change={choose} />
      {other !== "" && <Differences key={other} control={control} from={other} shown={shown} />}
    </section>
  );
}

interface DifferencesProps {
  readonly control: Control;
  readonly from: string;
  readonly shown: TemplateWithParts;
}

function Differences({ control, from, shown }: DifferencesProps) {
  const read = useCallback(() => control.template(from), [control, from]);
  const { value, failure } = useLoaded(read);
  const box = useRef<HTMLDivElement>(null);
  const before = value && textOf(value);
  const after = textOf(shown);
  const label = texts.differences(from, shown.ref);
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

/** Its settings, then its manifests as they were written. */
function textOf({ description, parts }: TemplateWithParts): string {
  const { manifests, ...settings } = parts;
  return `${toYaml({ description, ...settings })}---\n${typeof manifests === "string" ? manifests : ""}`;
}
