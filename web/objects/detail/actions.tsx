// The buttons of what can be done with an object.
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
  const [asked, ask] = useState<Action>();
  const revisions = of.resource === "deployments.apps" ? revisionsOf(object.metadata.uid) : [];
  function revisionsOf(uid: string | undefined): string[] {
    const own = live.cluster.replicaSets.all.value.filter((one) => getControllerOf(one)?.uid === uid);
    const numbers = own.map(({ metadata }) => Number(metadata.annotations?.[revisionAnnotation] ?? 0));
    return numbers
      .filter((one) => one > 0)
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
      {asked && (
        <ActionDialog
          action={asked}
          subject={`${mapping.kind} ${of.name}`}
          close={() => ask(undefined)}
          done={() => asked.id === "delete" && of.resource !== "pods" && open(live, undefined)}
        />
      )}
    </div>
  );
}
