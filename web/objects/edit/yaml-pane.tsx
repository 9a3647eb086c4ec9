// An object as YAML, to be read as it changes, or edited.
import { useState } from "preact/hooks";
import { withoutManagedFields, toYaml } from "../../live/yaml.ts";
import { messages } from "../../messages.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { onDemand } from "../../parts/on-demand.tsx";
import { useLive } from "../../view/context.ts";
import type { PaneProps } from "../detail/pane.ts";

const EditPane = onDemand(async () => (await import("./edit-pane.tsx")).EditPane);

export function YamlPane(props: PaneProps) {
  const { cluster } = useLive();
  const [isEditing, setEditing] = useState(false);
  const { mapping, of, object, isThere } = props;
  if (isEditing) return <EditPane {...props} stop={() => setEditing(false)} />;
  const yaml = toYaml(withoutManagedFields(object));
  const mayEdit = isThere && cluster.access.mayWrite && mapping.verbs.includes("update");
  return (
    <div class="text-pane">
      <div class="actions">
        {mayEdit && (
          <button type="button" class="small" onClick={() => setEditing(true)}>
            {messages.edit.edit}
          </button>
        )}
        <CopyButton class="quiet small" label={messages.common.copy} text={() => yaml} file={`${of.name}.yaml`} />
      </div>
      <pre class="yaml" tabIndex={0} aria-label={messages.detail.panes.yaml}>
        {yaml}
      </pre>
    </div>
  );
}
