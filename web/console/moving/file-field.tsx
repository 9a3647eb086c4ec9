// A field for a file, which is chosen or dropped.
import { useState } from "preact/hooks";
import { texts as all } from "../../messages/moving.ts";
import { Field } from "../../parts/field.tsx";
import { bytesText } from "../../parts/numbers.ts";

const texts = all.importDialog;

interface Props {
  readonly label: string;
  readonly hint: string;
  readonly value: File | undefined;
  readonly change: (file: File | undefined) => void;
  readonly error: string | undefined;
}

export function FileField({ label, hint, value, change, error }: Props) {
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null | undefined) => {
    const file = files?.item(0);
    if (file) change(file);
  };
  const over = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  return (
    <Field label={label} hint={hint} error={error}>
      {(wiring) => (
        <div
          class={isOver ? "file-drop over" : "file-drop"}
          onDragOver={over}
          onDragLeave={() => setOver(false)}
          onDrop={(event) => {
            event.preventDefault();
            setOver(false);
            take(event.dataTransfer?.files);
          }}
        >
          <span>{value ? texts.chosen(value.name, bytesText(value.size)) : texts.drop}</span>
          <input {...wiring} type="file" onChange={({ currentTarget }) => take(currentTarget.files)} />
        </div>
      )}
    </Field>
  );
}
