// One template: its versions, which never change, and what the newest, or the chosen one, consists of.
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

interface Props {
  readonly control: Control;
  /** `name`, or `name@version`. */
  readonly named: string;
}

export function TemplatePage({ control, named }: Props) {
  const [name = ""] = named.split("@");
  const read = useCallback(async () => {
    const [one, { templates }] = await Promise.all([control.template(named), control.templates(name)]);
    return { one, versions: templates };
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
            <a href={pathTo("templates")}>All templates</a>
          </p>
        </div>
        <div class="actions">
          {may("sandboxes:create") && value && (
            <a class="button primary" href={pathTo("templates", [named], { use: named })}>
              Use it
            </a>
          )}
          {mayDelete && (
            <button type="button" class="danger" onClick={() => ask(name)}>
              Delete
            </button>
          )}
        </div>
      </div>
      <Alert text={failure} />
      {value && !value.one.builtIn && (
        <Versions versions={value.versions} shown={value.one.version} remove={mayDelete ? ask : undefined} />
      )}
      {value && !value.one.builtIn && (
        <CompareVersions key={value.one.ref} control={control} versions={value.versions} shown={value.one} />
      )}
      {value && <Parts template={value.one} />}
      {deleted && (
        <ConfirmDialog
          title={`Delete ${deleted}?`}
          action="Delete template"
          doing="Deleting…"
          line={sandbarLine("template", "delete", deleted)}
          run={async () => {
            await control.removeTemplate(deleted);
            go(pathTo("templates", deleted.includes("@") && !isLast ? [name] : []));
          }}
          close={() => ask("")}
        >
          <p>
            {deleted.includes("@") ? "That version" : "All its versions"} will be gone. Sandboxes of it go on, but
            cannot be reset to it.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

interface VersionProps {
  readonly versions: readonly Template[];
  readonly shown: number;
  readonly remove: ((ref: string) => void) | undefined;
}

function Versions({ versions, shown, remove }: VersionProps) {
  return (
    <section class="panel scroll" tabIndex={0} aria-label="Versions">
      <h2>Versions</h2>
      <table>
        <tbody>
          {versions.map((one) => (
            <tr key={one.version} data-name={one.ref}>
              <th scope="row">
                <a href={pathTo("templates", [one.ref])} aria-current={one.version === shown ? "true" : undefined}>
                  {one.ref}
                </a>
              </th>
              <td>{countText(one.objects)} objects</td>
              <td>{bytesText(one.bytes)}</td>
              <td>
                {one.createdAt && (
                  <>
                    <Age time={one.createdAt} /> old
                  </>
                )}
              </td>
              <td class="actions">
                {remove && (
                  <button type="button" class="quiet danger" onClick={() => remove(one.ref)}>
                    Delete<span class="unseen"> {one.ref}</span>
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
        <h2>What {ref} is made of</h2>
        <p class="facts inside">
          <span>{countText(nodes)} nodes</span>
          <span>{users.length > 0 ? `users ${users.join(", ")}` : "no users beside the administrator"}</span>
          <span>
            {incidents > 0
              ? incidents === 1
                ? "1 thing is wrong from the beginning"
                : `${incidents} things are wrong from the beginning`
              : "nothing is wrong"}
          </span>
        </p>
        {typeof manifests === "string" && manifests !== "" && (
          <pre class="code" tabIndex={0} aria-label="Manifests">
            {manifests}
          </pre>
        )}
        <pre class="code" tabIndex={0} aria-label="Settings">
          {JSON.stringify(rest, null, 2)}
        </pre>
      </section>
      <CommandLine line={sandbarLine("template", "show", ref)} />
    </>
  );
}
