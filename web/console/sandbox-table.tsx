// The table of sandboxes with the actions on each.
import { type Signal, useComputed } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { ListedSandbox } from "../../shared/contract/sandbox.ts";
import type { Control } from "../api/control.ts";
import { may } from "../api/session.ts";
import { Age, TimeLeft } from "../parts/age.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { pathTo, sandboxPath } from "./route.ts";
import { texts as all } from "../messages/console.ts";
import { Table, type TableColumn } from "../parts/table.tsx";

const texts = all.sandboxTable;

interface Props {
  readonly control: Control;
  readonly sandboxes: readonly ListedSandbox[];
  /** The ids of the selected sandboxes. A signal, so that a selection renders boxes and no rows. */
  readonly selectedIds: Signal<ReadonlySet<string>>;
  /** The search and the filters, as in the page's address. */
  readonly view: string;
  readonly ask: (dialog: { readonly what: "delete" | "embed"; readonly sandbox: ListedSandbox }) => void;
}

export function SandboxTable({ control, sandboxes, selectedIds, view, ask }: Props) {
  const hasLessons = sandboxes.some(({ lesson }) => lesson !== undefined);
  const columns = useMemo(
    () => columnsOf({ control, selectedIds, ask }, hasLessons),
    [control, selectedIds, ask, hasLessons],
  );
  return (
    <Table
      class="sandboxes"
      label={texts.sandboxes}
      rows={sandboxes}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      columns={columns}
      view={view}
      head={may("sandboxes:delete") && <SelectAll sandboxes={sandboxes} selectedIds={selectedIds} />}
    />
  );
}

type ColumnProps = Pick<Props, "control" | "selectedIds" | "ask">;

function columnsOf(
  { control, selectedIds, ask }: ColumnProps,
  hasLessons: boolean,
): readonly TableColumn<ListedSandbox>[] {
  return [
    {
      name: texts.name,
      cell: (sandbox) => <Name sandbox={sandbox} selectedIds={selectedIds} />,
      sortBy: ({ name }) => name,
    },
    { name: texts.phase, cell: ({ phase }) => phase, sortBy: ({ phase }) => phase },
    { name: texts.owner, cell: ({ owner }) => owner, sortBy: ({ owner }) => owner },
    ...(hasLessons ? [lessonColumn] : []),
    { name: texts.nodes, cell: ({ nodes }) => nodes, sortBy: ({ nodes }) => nodes },
    { name: texts.age, cell: ({ createdAt }) => <Age time={createdAt} />, sortBy: ({ createdAt }) => createdAt },
    {
      name: texts.expiresIn,
      cell: ({ expiresAt }) => <TimeLeft time={expiresAt} />,
      sortBy: ({ expiresAt }) => expiresAt,
    },
    {
      name: texts.actions,
      form: "actions",
      cell: (sandbox) => <Actions control={control} sandbox={sandbox} ask={ask} />,
    },
  ];
}

function SelectAll({ sandboxes, selectedIds }: Pick<Props, "sandboxes" | "selectedIds">) {
  const isWhole = sandboxes.every(({ id }) => selectedIds.value.has(id));
  return (
    <label class="inline">
      <input
        type="checkbox"
        aria-label={texts.selectAll}
        checked={isWhole}
        onChange={() => {
          selectedIds.value = new Set(isWhole ? [] : sandboxes.map(({ id }) => id));
        }}
      />
    </label>
  );
}

const lessonColumn: TableColumn<ListedSandbox> = {
  name: texts.lesson,
  cell: ({ lesson }) =>
    lesson && (
      <>
        {lesson.name}
        <small class="description">{[lesson.class, lesson.learner].filter(Boolean).join(", ")}</small>
      </>
    ),
  sortBy: ({ lesson }) => `${lesson?.name ?? ""} ${lesson?.class ?? ""} ${lesson?.learner ?? ""}`,
};

interface NameProps {
  readonly sandbox: ListedSandbox;
  readonly selectedIds: Signal<ReadonlySet<string>>;
}

function Name({ sandbox: { id, name, description, labels }, selectedIds }: NameProps) {
  const pairs = Object.entries(labels);
  return (
    <div class="sandbox-name">
      {may("sandboxes:delete") && <SelectOne id={id} name={name} selectedIds={selectedIds} />}
      <div>
        <a href={sandboxPath(id)} title={id}>
          {name}
        </a>
        {description && <small class="description">{description}</small>}
        {pairs.length > 0 && (
          <small class="description">
            {pairs.map(([key, value]) => (
              <code key={key}>{`${key}=${value} `}</code>
            ))}
          </small>
        )}
      </div>
    </div>
  );
}

interface SelectOneProps {
  readonly id: string;
  readonly name: string;
  readonly selectedIds: Signal<ReadonlySet<string>>;
}

function SelectOne({ id, name, selectedIds }: SelectOneProps) {
  const isSelected = useComputed(() => selectedIds.value.has(id));
  const toggle = () => {
    const next = new Set(selectedIds.value);
    if (!next.delete(id)) next.add(id);
    selectedIds.value = next;
  };
  return <input type="checkbox" aria-label={texts.select(name)} checked={isSelected} onChange={toggle} />;
}

type ActionProps = Pick<Props, "control" | "ask"> & { readonly sandbox: ListedSandbox };

function Actions({ control, sandbox, ask }: ActionProps) {
  return (
    <>
      {may("sandboxes:connect") && (
        <CopyButton
          class="quiet"
          label={texts.copyKubeconfig}
          text={() => control.kubeconfig(sandbox.id)}
          file={`${sandbox.name}.kubeconfig`}
        />
      )}
      {may("sandboxes:connect") && (
        <button type="button" class="quiet" onClick={() => ask({ what: "embed", sandbox })}>
          {texts.embed}
          <span class="unseen"> {sandbox.name}</span>
        </button>
      )}
      {may("templates:write") && may("sandboxes:connect") && (
        <a class="button quiet" href={pathTo("templates", [], { make: sandbox.id })}>
          {texts.template}
          <span class="unseen">
            {" "}
            {texts.of} {sandbox.name}
          </span>
        </a>
      )}
      {may("sandboxes:delete") && (
        <button type="button" class="quiet danger" onClick={() => ask({ what: "delete", sandbox })}>
          {texts.delete}
          <span class="unseen"> {sandbox.name}</span>
        </button>
      )}
    </>
  );
}
