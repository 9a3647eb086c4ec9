// The changes of a sandbox or of one object with time and user, newest first.
import { useEffect, useState } from "preact/hooks";
import { must } from "../../../shared/base/assert.ts";
import type { RecordedChange } from "../../../shared/contract/snapshot.ts";
import { messageOf } from "../../api/control-failure.ts";
import { messages } from "../../messages.ts";
import { Age } from "../../parts/age.tsx";
import { Alert } from "../../parts/alert.tsx";
import { KindBadge } from "../../parts/kind-badge.tsx";
import { open, useLive } from "../../view/context.ts";
import { Loading } from "../../parts/loading.tsx";
import { MoreButton } from "../../parts/more-button.tsx";

const texts = messages.history;

/** The number of changes after which no further page is read. */
const enough = 20;
const mostPages = 50;

interface Props {
  /** The query of the API that selects the objects. */
  readonly query: Readonly<Record<string, string>>;
  /** Changes whenever the list may have changed. */
  readonly version: string;
  /** Reports whether all changes concern one object, so that its name is not shown. */
  readonly isOfOne: boolean;
  /** Reports whether changes of controllers are left out. */
  readonly ofUsers?: boolean;
}

export function Changes({ query, version, isOfOne, ofUsers = false }: Props) {
  const states = must(useLive().states, "the states of a sandbox of the console");
  const [changes, setFound] = useState<readonly RecordedChange[]>();
  const [next, setNext] = useState<number>();
  const [failure, setFailure] = useState("");
  const [isLooking, setLooking] = useState(true);
  const key = JSON.stringify([query, version]);
  const isShown = ({ auditId }: RecordedChange) => !ofUsers || auditId !== undefined;
  const load = async (before: number | undefined, isStale: () => boolean) => {
    setLooking(true);
    let from = before;
    let count = 0;
    try {
      // A page may contain only changes of controllers, so pages are read until there is something to show.
      for (let page = 0; page < mostPages && count < enough; page++) {
        const read = await states.changes({ ...query, ...(from === undefined ? {} : { before: String(from) }) });
        if (isStale()) return;
        const isFirst = from === undefined;
        setFound((all = []) => (isFirst ? read.changes : [...all, ...read.changes]));
        setNext(read.next);
        setFailure("");
        count += read.changes.filter(isShown).length;
        from = read.next;
        if (from === undefined) break;
      }
    } catch (error) {
      if (!isStale()) setFailure(messageOf(error));
    } finally {
      if (!isStale()) setLooking(false);
    }
  };
  useEffect(() => {
    let isOver = false;
    void load(undefined, () => isOver);
    return () => {
      isOver = true;
    };
  }, [key, ofUsers]);
  const visibleChanges = (changes ?? []).filter(isShown);
  return (
    <>
      <Alert text={failure} />
      {visibleChanges.length === 0 && isLooking && <Loading />}
      {changes && visibleChanges.length === 0 && !isLooking && (
        <p class="empty">{next === undefined ? texts.none : texts.noneYet}</p>
      )}
      <ol class="events changes" aria-label={texts.list}>
        {visibleChanges.map((change) => (
          <ChangeItem key={change.revision} change={change} isOfOne={isOfOne} />
        ))}
      </ol>
      {next !== undefined && !isLooking && <MoreButton more={() => void load(next, () => false)} label={texts.older} />}
    </>
  );
}

function ChangeItem({ change, isOfOne }: { readonly change: RecordedChange; readonly isOfOne: boolean }) {
  const live = useLive();
  const {
    resource,
    kind,
    namespace = "",
    name,
    user,
    origin,
    impersonator,
    subresource,
    at,
    notBefore,
    fields,
    truncated,
  } = change;
  return (
    <li class="normal" data-change={change.change}>
      <p class="top">
        <strong>{texts.of[change.change]}</strong>
        <span title={user}>{texts.by(shortUser(user), impersonator ?? "")}</span>
        <span class="muted">{subresource ? `${origin} ${subresource}` : origin}</span>
        <span class="when" title={texts.revision(change.revision)}>
          {notBefore && (
            <>
              <Age time={notBefore} /> {at ? texts.to : texts.orLess}{" "}
            </>
          )}
          <Age time={at} />
        </span>
      </p>
      {!isOfOne && (
        <button type="button" class="object subject" onClick={() => open(live, { resource, namespace, name })}>
          <KindBadge kind={kind} /> <span class="name">{name}</span>{" "}
          {namespace && <small class="within">{namespace}</small>}
        </button>
      )}
      {fields.length > 0 && <Fields fields={fields} />}
      {truncated && <p class="muted">{texts.truncated}</p>}
    </li>
  );
}

/** Shortens the accounts of controllers to their names. */
function shortUser(user: string): string {
  return user.replace(/^system:serviceaccount:kube-system:/, "");
}

export interface Field {
  readonly path: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

export function Fields({ fields }: { readonly fields: readonly Field[] }) {
  return (
    <dl class="differences">
      {fields.map((field) => (
        <div key={field.path}>
          <dt>
            <code>{field.path}</code>
          </dt>
          <dd>
            {"from" in field && <del>{valueText(field.from)}</del>} {"to" in field && <ins>{valueText(field.to)}</ins>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const longest = 400;

function valueText(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
