// A template: its versions, which never change, and the contents of the newest or chosen version.
import { useCallback, useState } from "preact/hooks";
import type { Template, TemplateWithParts } from "../../../shared/contract/template.ts";
import type { Control } from "../../api/control.ts";
import { sandbarLine } from "../../api/lines.ts";
import { may } from "../../api/session.ts";
import { Age } from "../../parts/age.tsx";
import { Alert } from "../../parts/alert.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { bytesText, countText } from "../../parts/numbers.ts";
import { go, pathTo } from "../route.ts";
import { CompareVersions } from "./compare-versions.tsx";
import { texts as all } from "../../messages/template-pages.ts";

const texts = all.templatePage;

interface Props {
  readonly control: Control;
  /** The `name`, or `name@version`. */
  readonly named: string;
}

export function TemplatePage({ control, named }: Props) {
  const [name = ""] = named.split("@");
  const read = useCallback(async () => {
    const [template, { templates }] = await Promise.all([control.template(named), control.templates(name)]);
    return { one: template, versions: templates };
  }, [control, named, name]);
  const { value, failure } = useLoaded(read);
  const [deleted, ask] = useState("");
  const mayDelete = may("templates:write") && value?.one.builtIn === false;
  const isLast = deleted.includes("@") && value?.versions.length === 1;
  return (
    <>
      <div class="titled page">
        <div>
          <h1>{named}</h1>
          {value?.one.description && <p>{value.one.description}</p>}
          <p class="facts">
            <a href={pathTo("templates")}>{texts.allTemplates}</a>
          </p>
        </div>
        <div class="actions">
          {may("sandboxes:create") && value && (
            <a class="button primary" href={pathTo("templates", [named], { use: named })}>
              {texts.use}
            </a>
          )}
          {mayDelete && (
            <button type="button" class="danger" onClick={() => ask(name)}>
              {texts.delete}
            </button>
          )}
        </div>
      </div>
      <Alert text={failure} />
      {value && !value.one.builtIn && (
        <Versions versions={value.versions} openVersion={value.one.version} remove={mayDelete ? ask : undefined} />
      )}
      {value && !value.one.builtIn && (
        <CompareVersions key={value.one.ref} control={control} versions={value.versions} current={value.one} />
      )}
      {value && <Parts template={value.one} />}
      {deleted && (
        <ConfirmDialog
          title={texts.deleteAsk(deleted)}
          action={texts.deleteTemplate}
          doing={texts.deleting}
          line={sandbarLine("template", "delete", deleted)}
          run={async () => {
            await control.removeTemplate(deleted);
            go(pathTo("templates", deleted.includes("@") && !isLast ? [name] : []));
          }}
          close={() => ask("")}
        >
          <p>
            {deleted.includes("@") ? texts.thatVersion : texts.allItsVersions} {texts.deleteMeans}
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

interface VersionProps {
  readonly versions: readonly Template[];
  readonly openVersion: number;
  readonly remove: ((ref: string) => void) | undefined;
}

function Versions({ versions, openVersion, remove }: VersionProps) {
  return (
    <section class="panel scroll" tabIndex={0} aria-label={texts.versions}>
      <h2>{texts.versions}</h2>
      <table>
        <tbody>
          {versions.map((versionTemplate) => (
            <tr key={versionTemplate.version} data-name={versionTemplate.ref}>
              <th scope="row">
                <a
                  href={pathTo("templates", [versionTemplate.ref])}
                  aria-current={versionTemplate.version === openVersion ? "true" : undefined}
                >
                  {versionTemplate.ref}
                </a>
              </th>
              <td>
                {countText(versionTemplate.objects)} {texts.objects}
              </td>
              <td>{bytesText(versionTemplate.bytes)}</td>
              <td>
                {versionTemplate.createdAt && (
                  <>
                    <Age time={versionTemplate.createdAt} /> {texts.old}
                  </>
                )}
              </td>
              <td class="actions">
                {remove && (
                  <button type="button" class="quiet danger" onClick={() => remove(versionTemplate.ref)}>
                    {texts.delete}
                    <span class="unseen"> {versionTemplate.ref}</span>
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Parts({ template }: { readonly template: TemplateWithParts }) {
  const { manifests, ...rest } = template.parts as { manifests?: unknown } & Record<string, unknown>;
  const { ref, nodes, users, incidents } = template;
  return (
    <>
      <section class="panel">
        <h2>{texts.sourceOf(ref)}</h2>
        <p class="facts inside">
          <span>{texts.nodes(nodes)}</span>
          <span>{texts.users(users)}</span>
          <span>{texts.problemCount(incidents)}</span>
        </p>
        {typeof manifests === "string" && manifests !== "" && (
          <pre class="code" tabIndex={0} aria-label={texts.manifests}>
            {manifests}
          </pre>
        )}
        <pre class="code" tabIndex={0} aria-label={texts.settings}>
          {JSON.stringify(rest, null, 2)}
        </pre>
      </section>
      <CommandLine line={sandbarLine("template", "show", ref)} />
    </>
  );
}
