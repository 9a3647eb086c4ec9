// A learning platform: its registration, and the scores that were sent to it recently with their results.
import { useCallback, useState } from "preact/hooks";
import type { LtiPlatform } from "../../../shared/contract/hosted/lti.ts";
import type { Delivery } from "../../../shared/contract/hosted/webhook.ts";
import type { Control } from "../../api/control.ts";
import { curlLine } from "../../api/lines.ts";
import { may } from "../../api/session.ts";
import { texts } from "../../messages/lti.ts";
import { Age, TimeLeft } from "../../parts/age.tsx";
import { Alert } from "../../parts/alert.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Deliveries } from "../../parts/deliveries.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { go, pathTo } from "../route.ts";
import { listPlatforms, listScores, platformPath, removePlatform } from "./lti-api.ts";
import { ChangeForm } from "./platform-form.tsx";

interface Props {
  readonly control: Control;
  readonly id: string;
}

export function PlatformPage({ control, id }: Props) {
  const read = useCallback(async () => {
    const platform = (await listPlatforms(control)).find((platform) => platform.id === id);
    return { platform, scores: platform ? (await listScores(control, id)).deliveries : [] };
  }, [control, id]);
  const { value, failure, reload } = useLoaded(read);
  const [openDialog, ask] = useState<"change" | "remove">();
  const platform = value?.platform;
  const close = () => ask(undefined);
  return (
    <>
      <div class="titled page">
        <div>
          <h1>{platform?.name ?? texts.title}</h1>
          <p class="facts">
            <a href={pathTo("lti")}>{texts.all}</a>
          </p>
        </div>
        {platform && may("lti:write") && (
          <div class="actions">
            <button type="button" onClick={() => ask("change")}>
              {texts.change}
            </button>
            <button type="button" class="danger" onClick={() => ask("remove")}>
              {texts.remove}
            </button>
          </div>
        )}
      </div>
      <Alert text={failure} />
      {value && !platform && <p class="panel empty">{texts.noSuch}</p>}
      {platform && <Facts platform={platform} />}
      {platform && <Scores scores={value.scores} />}
      {platform && <CommandLine label={texts.scoresLine} line={curlLine("GET", `${platformPath(id)}/scores`)} />}
      {platform && openDialog === "change" && (
        <ChangeForm
          control={control}
          platform={platform}
          close={close}
          onSaved={() => {
            close();
            reload();
          }}
        />
      )}
      {platform && openDialog === "remove" && (
        <ConfirmDialog
          title={texts.removeOf(platform.name)}
          action={texts.removePlatform}
          doing={texts.removing}
          line={curlLine("DELETE", platformPath(id))}
          run={async () => {
            await removePlatform(control, id);
            go(pathTo("lti"));
          }}
          close={close}
        >
          <p>{texts.removeMeans}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

const displayedFields = ["issuer", "clientId", "authorizationUrl", "tokenUrl", "jwksUrl", "audience"] as const;

function Facts({ platform }: { readonly platform: LtiPlatform }) {
  const filledFields = displayedFields.filter((field) => platform[field] !== "");
  return (
    <dl class="panel pairs">
      {filledFields.map((field) => (
        <>
          <dt>{texts[field]}</dt>
          <dd>
            <code>{platform[field]}</code>
          </dd>
        </>
      ))}
      <dt>{texts.deployments}</dt>
      <dd>{platform.deployments.join(", ")}</dd>
      <dt>{texts.registered}</dt>
      <dd>
        <Age time={platform.createdAt} /> {texts.ago}
      </dd>
    </dl>
  );
}

function Scores({ scores }: { readonly scores: readonly Delivery[] }) {
  const next = ({ nextAttemptAt }: Delivery) =>
    nextAttemptAt && (
      <>
        {texts.nextIn} <TimeLeft time={nextAttemptAt} />
      </>
    );
  return (
    <Deliveries
      label={texts.scores}
      title={texts.scores}
      none={texts.scoresNone}
      words={texts}
      deliveries={scores}
      nameOf={({ id }) => id}
      stateOf={({ state }) => texts.states[state]}
      more={{ name: texts.next, cell: next }}
    />
  );
}
