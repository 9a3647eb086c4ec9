// The templates of the organisation and the built-in ones. The address says which one is open, and whether one is being created or used.
import { useCallback } from "preact/hooks";
import type { Template } from "../../../shared/contract/template.ts";
import type { Control } from "../../api/control.ts";
import { sandbarLine } from "../../api/lines.ts";
import { may } from "../../api/session.ts";
import { Age } from "../../parts/age.tsx";
import { Alert } from "../../parts/alert.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { countText } from "../../parts/numbers.ts";
import { go, pathTo } from "../route.ts";
import { TemplateForm } from "./template-form.tsx";
import { TemplatePage } from "./template-page.tsx";
import { UseDialog } from "./use-dialog.tsx";
import { texts as all } from "../../messages/template-pages.ts";
import { Table } from "../../parts/table.tsx";

const texts = all.templatesPage;

interface Props {
  readonly control: Control;
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

export function TemplatesPage({ control, segments: [name], query }: Props) {
  const used = query.get("use");
  const back = name === undefined ? pathTo("templates") : pathTo("templates", [name]);
  return (
    <>
      {name === undefined ? (
        <TemplateList control={control} source={query.get("make")} />
      ) : (
        <TemplatePage key={name} control={control} named={name} />
      )}
      {used && <UseDialog control={control} template={used} close={() => go(back)} />}
    </>
  );
}

/** Lists the templates. `source` is set while the form of a new template is open: the id of a sandbox, or `new`. */
function TemplateList({ control, source }: { readonly control: Control; readonly source: string | null }) {
  const read = useCallback(() => control.templates(), [control]);
  const { value, failure, reload } = useLoaded(read);
  const ownTemplates = value?.templates.filter(({ builtIn }) => !builtIn);
  const builtIn = value?.templates.filter((template) => template.builtIn) ?? [];
  const mayMake = may("templates:write");
  return (
    <>
      <div class="titled page">
        <h1>{texts.templates}</h1>
        {mayMake && (
          <a class="button primary" href={pathTo("templates", [], { make: "new" })}>
            {texts.newTemplate}
          </a>
        )}
      </div>
      <Alert text={failure} />
      {ownTemplates?.length === 0 && (
        <p class="panel empty">
          {texts.none} {mayMake ? texts.createFrom : texts.creators}
          {texts.builtInHint}
        </p>
      )}
      {ownTemplates && ownTemplates.length > 0 && <TemplateTable title={texts.own} templates={ownTemplates} />}
      {builtIn.length > 0 && <TemplateTable title={texts.builtIn} templates={builtIn} />}
      <CommandLine line={sandbarLine("template", "list")} />
      {source !== null && mayMake && (
        <TemplateForm
          control={control}
          sandbox={source === "new" ? "" : source}
          close={() => go(pathTo("templates"))}
          onCreated={(template) => {
            reload();
            go(pathTo("templates", [template.name]));
          }}
        />
      )}
    </>
  );
}

function TemplateTable({ title, templates }: { readonly title: string; readonly templates: readonly Template[] }) {
  return (
    <Table
      label={title}
      title={title}
      rows={templates}
      keyOf={({ name }) => name}
      nameOf={({ name }) => name}
      columns={[
        {
          name: texts.name,
          cell: ({ name }) => <a href={pathTo("templates", [name])}>{name}</a>,
          sortBy: ({ name }) => name,
        },
        { name: texts.description, form: "wide", cell: ({ description }) => description },
        { name: texts.version, cell: ({ version }) => version },
        { name: texts.nodes, cell: ({ nodes }) => countText(nodes), sortBy: ({ nodes }) => nodes },
        { name: texts.users, cell: ({ users }) => users.length },
        {
          name: texts.age,
          cell: ({ createdAt }) => createdAt && <Age time={createdAt} />,
          sortBy: ({ createdAt }) => createdAt ?? "",
        },
        {
          name: texts.actions,
          form: "actions",
          cell: ({ name }) =>
            may("sandboxes:create") && (
              <a class="button quiet" href={pathTo("templates", [], { use: name })}>
                {texts.use}
                <span class="unseen"> {name}</span>
              </a>
            ),
        },
      ]}
    />
  );
}
