// The search, the filters and the selection above the list of sandboxes.
import { useMemo } from "preact/hooks";
import type { ListedSandbox } from "../../shared/contract/sandbox.ts";
import { may } from "../api/session.ts";
import { texts as all } from "../messages/console.ts";
import { type FilterName, filterNames, type SandboxQuery, valuesOf } from "./sandbox-query.ts";

const texts = all.sandboxFilters;

interface Props {
  readonly sandboxes: readonly ListedSandbox[];
  readonly shownCount: number;
  readonly query: SandboxQuery;
  readonly change: (query: SandboxQuery) => void;
  readonly selectedCount: number;
  readonly clear: () => void;
  readonly remove: () => void;
}

export function SandboxFilters({ sandboxes, shownCount, query, change, selectedCount, clear, remove }: Props) {
  const values = useMemo(() => new Map(filterNames.map((name) => [name, valuesOf(sandboxes, name)])), [sandboxes]);
  return (
    <div class="tools page-tools">
      <input
        type="search"
        class="search"
        aria-label={texts.search}
        placeholder={texts.searchHint}
        spellcheck={false}
        autoComplete="off"
        value={query.q ?? ""}
        onInput={({ currentTarget }) => change({ ...query, q: currentTarget.value })}
        data-search
      />
      {filterNames.map((name) => (
        <Filter
          key={name}
          name={name}
          values={values.get(name) ?? []}
          value={query[name] ?? ""}
          change={(value) => change({ ...query, [name]: value })}
        />
      ))}
      <small class="muted" role="status">
        {texts.count(shownCount, sandboxes.length)}
      </small>
      {selectedCount > 0 && (
        <span class="bulk" role="toolbar" aria-label={texts.selection}>
          <strong>{texts.selected(selectedCount)}</strong>
          {may("sandboxes:delete") && (
            <button type="button" class="small danger" onClick={remove}>
              {texts.remove}
            </button>
          )}
          <button type="button" class="quiet small" onClick={clear}>
            {texts.clear}
          </button>
        </span>
      )}
    </div>
  );
}

interface FilterProps {
  readonly name: FilterName;
  readonly values: readonly string[];
  readonly value: string;
  readonly change: (value: string) => void;
}

/** Renders nothing if there is nothing to choose from. */
function Filter({ name, values, value, change }: FilterProps) {
  if (values.length === 0 && value === "") return null;
  return (
    <select aria-label={texts.names[name]} value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
      <option value="">{texts.any[name]}</option>
      {[...new Set([...values, ...(value ? [value] : [])])].map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </select>
  );
}
