// Pairs of runs that share what few others share: a hint to look closer.
import { useCallback } from "preact/hooks";
import { texts } from "../../messages/teaching.ts";
import { Alert } from "../../parts/alert.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import type { LessonsApi } from "./lessons-api.ts";

interface Props {
  readonly api: LessonsApi;
  readonly name: string;
  readonly classId: string;
  readonly close: () => void;
}

export function ComparisonDialog({ api, name, classId, close }: Props) {
  const read = useCallback(() => api.compare(name, classId), [api, name, classId]);
  const { value, failure } = useLoaded(read);
  return (
    <Dialog title={texts.compare} close={close}>
      <div class="made">
        <Alert text={failure} />
        {value && <p>{texts.compared(value.compared)}</p>}
        {value?.pairs.length === 0 && <p>{texts.noPairs}</p>}
        {value && value.pairs.length > 0 && (
          <div class="scroll" role="region" tabIndex={0} aria-label={texts.compare}>
            <table class="links pairs">
              <thead>
                <tr>
                  <th scope="col">{texts.similarity}</th>
                  <th scope="col">{texts.learners}</th>
                  <th scope="col">{texts.shared}</th>
                </tr>
              </thead>
              <tbody>
                {value.pairs.map(({ runs, similarity, shared }) => (
                  <tr key={runs.map(({ run }) => run).join(" ")}>
                    <td>{Math.round(similarity * 100)} %</td>
                    <td>{runs.map(({ learner }) => learner).join(", ")}</td>
                    <td>
                      <ul>
                        {shared.map((line) => (
                          <li key={line}>
                            <code>{line}</code>
                          </li>
                        ))}
                      </ul>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
        <footer>
          <button type="button" onClick={close}>
            {texts.close}
          </button>
        </footer>
      </div>
    </Dialog>
  );
}
