// The registered learning platforms that launch lessons, and the values that a platform needs for registration. The address ends with
// `new` or `link` for a dialog, or with the id of a platform for its page.
import { useCallback } from "preact/hooks";
import type { LtiPlatform, LtiTool } from "../../../shared/contract/hosted/lti.ts";
import type { Control } from "../../api/control.ts";
import { curlLine } from "../../api/lines.ts";
import { may } from "../../api/session.ts";
import { texts } from "../../messages/lti.ts";
import { Age } from "../../parts/age.tsx";
import { Alert } from "../../parts/alert.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { go, pathTo } from "../route.ts";
import { LinkDialog } from "./link-dialog.tsx";
import { listPlatforms, ltiTool, platformsPath } from "./lti-api.ts";
import { RegisterForm } from "./platform-form.tsx";
import { PlatformPage } from "./platform-page.tsx";
import { Table } from "../../parts/table.tsx";

interface Props {
  readonly control: Control;
  readonly segments: readonly string[];
}

export function LtiPage({ control, segments: [open] }: Props) {
  if (open !== undefined && open !== "new" && open !== "link") {
    return <PlatformPage key={open} control={control} id={open} />;
  }
  return <PlatformList control={control} open={open} />;
}

function PlatformList({ control, open }: { readonly control: Control; readonly open: "new" | "link" | undefined }) {
  const read = useCallback(async () => {
    const [platforms, tool] = await Promise.all([listPlatforms(control), ltiTool(control)]);
    return { platforms, tool };
  }, [control]);
  const { value, failure, reload } = useLoaded(read);
  const mayMake = may("lti:write");
  const close = () => {
    reload();
    go(pathTo("lti"));
  };
  return (
    <>
      <div class="titled page">
        <h1>{texts.title}</h1>
        {mayMake && (
          <div class="actions">
            <a class="button primary" href={pathTo("lti", ["link"])}>
              {texts.link}
            </a>
            <a class="button" href={pathTo("lti", ["new"])}>
              {texts.create}
            </a>
          </div>
        )}
      </div>
      <Alert text={failure} />
      {value?.platforms.length === 0 && (
        <p class="panel empty">
          {texts.none} {mayMake ? texts.noneMay : texts.noneMayNot}
        </p>
      )}
      {value && value.platforms.length > 0 && <PlatformTable platforms={value.platforms} />}
      {value && <Tool tool={value.tool} />}
      <CommandLine line={curlLine("GET", platformsPath)} />
      {mayMake && open === "link" && <LinkDialog control={control} close={close} />}
      {mayMake && open === "new" && (
        <RegisterForm control={control} close={close} onSaved={({ id }) => go(pathTo("lti", [id]))} />
      )}
    </>
  );
}

function PlatformTable({ platforms }: { readonly platforms: readonly LtiPlatform[] }) {
  return (
    <Table
      label={texts.list}
      rows={platforms}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      columns={[
        {
          name: texts.name,
          cell: ({ id, name }) => <a href={pathTo("lti", [id])}>{name}</a>,
          sortBy: ({ name }) => name,
        },
        { name: texts.issuer, form: "wide", cell: ({ issuer }) => issuer },
        { name: texts.deployments, cell: ({ deployments }) => deployments.length },
        { name: texts.age, cell: ({ createdAt }) => <Age time={createdAt} />, sortBy: ({ createdAt }) => createdAt },
      ]}
    />
  );
}

const toolAddresses = ["loginUrl", "launchUrl", "jwksUrl", "canvasConfigurationUrl"] as const;

function Tool({ tool }: { readonly tool: LtiTool }) {
  const all = [
    ...toolAddresses.map((addressName) => [texts.toolValues[addressName], tool[addressName]] as const),
    [texts.scopes, tool.scopes.join(" ")] as const,
  ];
  return (
    <section class="panel" aria-label={texts.tool}>
      <h2>{texts.tool}</h2>
      <p class="hint inside">{texts.toolMeans}</p>
      <dl class="pairs inside">
        {all.map(([label, text]) => (
          <>
            <dt>{label}</dt>
            <dd>
              <code>{text}</code>{" "}
              <CopyButton class="quiet" label={texts.copy} about={label} text={() => text} file="lti.txt" />
            </dd>
          </>
        ))}
      </dl>
    </section>
  );
}
