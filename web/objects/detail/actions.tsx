// The buttons of the actions on an object.
import { useState } from "preact/hooks";
import { getControllerOf } from "../../../shared/k8s/meta.ts";
import { messages } from "../../messages.ts";
import { open, useLive } from "../../view/context.ts";
import { ActionDialog } from "../action-dialog.tsx";
import { type Action, actionsFor } from "../actions.ts";
import type { PaneProps } from "./pane.ts";

const revisionAnnotation = "deployment.kubernetes.io/revision";

export function Actions({ mapping, of, object }: PaneProps) {
  const live = useLive();
  const [openAction, ask] = useState<Action>();
  const revisions = of.resource === "deployments.apps" ? revisionsOf(object.metadata.uid) : [];
  function revisionsOf(uid: string | undefined): string[] {
    const replicaSets = live.cluster.replicaSets.all.value.filter(
      (replicaSet) => getControllerOf(replicaSet)?.uid === uid,
    );
    const numbers = replicaSets.map(({ metadata }) => Number(metadata.annotations?.[revisionAnnotation] ?? 0));
    return numbers
      .filter((revision) => revision > 0)
      .sort((a, b) => b - a)
      .map(String);
  }
  const json = object as unknown as Parameters<typeof actionsFor>[1]; // the API's objects are JSON
  return (
    <div class="actions do">
      {actionsFor(mapping, json, revisions).map((action) => (
        <button
          key={action.id}
          type="button"
          class={action.isDangerous ? "small danger" : "small"}
          onClick={() => ask(action)}
        >
          {messages.actions.of[action.id].button}
        </button>
      ))}
      {openAction && (
        <ActionDialog
          action={openAction}
          subject={`${mapping.kind} ${of.name}`}
          close={() => ask(undefined)}
          done={() => openAction.id === "delete" && of.resource !== "pods" && open(live, undefined)}
        />
      )}
    </div>
  );
}
