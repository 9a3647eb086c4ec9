// The form that adds learners by name. Each gets a run and a link to its page, which the teacher distributes.
import { useId, useState } from "preact/hooks";
import { messageOf } from "../../api/control-failure.ts";
import { Alert } from "../../parts/alert.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import type { LessonsApi } from "./lessons-api.ts";
import { texts as all } from "../../messages/board.ts";

const texts = all.addLearners;

interface Props {
  readonly api: LessonsApi;
  readonly name: string;
  readonly close: () => void;
}

interface Made {
  readonly learner: string;
  readonly url: string;
}

/** The maximum number at once, enough for a class. The API can add more. */
const most = 100;

export function AddLearners({ api, name, close }: Props) {
  const [text, setText] = useState("");
  const [createdLinks, setMade] = useState<readonly Made[]>([]);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState("");
  const id = useId();
  const add = async () => {
    const learners = [...new Set(text.split("\n").map((line) => line.trim()))].filter((line) => line !== "");
    if (learners.length > most) return setFailure(texts.tooMany(most));
    setBusy(true);
    setFailure("");
    for (const [at, learner] of learners.entries()) {
      try {
        const { url } = await api.start(name, learner);
        setMade((before) => [...before.filter((link) => link.learner !== learner), { learner, url }]);
      } catch (error) {
        setFailure(`${learner}: ${messageOf(error)}`);
        // The remaining learners can be tried again.
        setText(learners.slice(at).join("\n"));
        return setBusy(false);
      }
    }
    setText("");
    setBusy(false);
  };
  return (
    <Dialog title={texts.addLearners} close={close}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <div class="field">
          <label for={id}>{texts.names}</label>
          <textarea
            id={id}
            rows={5}
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          <span class="hint">{texts.namesHint}</span>
        </div>
        <Alert text={failure} />
        {createdLinks.length > 0 && <Links links={createdLinks} lesson={name} />}
        <footer>
          <button type="button" onClick={close}>
            {texts.done}
          </button>
          <button type="submit" class="primary" disabled={busy || text.trim() === ""}>
            {busy ? texts.adding : texts.add}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function Links({ links, lesson }: { readonly links: readonly Made[]; readonly lesson: string }) {
  const all = () => links.map(({ learner, url }) => `${learner}\t${url}\n`).join("");
  return (
    <div class="field">
      <div class="titled">
        <h3>{texts.linksHint}</h3>
        <CopyButton label={texts.copyAll} text={all} file={`${lesson}-links.txt`} />
      </div>
      <table class="links">
        <tbody>
          {links.map(({ learner, url }) => (
            <tr key={learner}>
              <th scope="row">{learner}</th>
              <td>
                <a href={url} target="_blank" rel="noopener noreferrer">
                  {new URL(url).pathname}
                  <span class="unseen">
                    {" "}
                    {texts.of} {learner}
                  </span>
                </a>
              </td>
              <td class="actions">
                <CopyButton label={texts.copy} class="quiet" text={() => url} file={`${learner}.txt`} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
