// A button that opens further actions below itself. Escape, a click elsewhere and the choice of an action close it.
import { EllipsisVertical } from "lucide";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

interface Props {
  readonly label: string;
  readonly children: ComponentChildren;
}

export function ActionsMenu({ label, children }: Props) {
  const id = useId();
  const container = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (!isOpen) return undefined;
    const ended = new AbortController();
    const closeOutside = ({ target }: Event) => {
      if (!(target instanceof globalThis.Node && container.current?.contains(target))) setOpen(false);
    };
    document.addEventListener("pointerdown", closeOutside, ended);
    document.addEventListener("focusin", closeOutside, ended);
    return () => ended.abort();
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    // The focus would be lost with the list. A dialog that an action opens gives it back to the button.
    button.current?.focus();
  };
  const closeByKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !isOpen) return;
    event.stopPropagation();
    close();
  };
  return (
    <div ref={container} class="actions-menu" onKeyDown={closeByKey}>
      <button
        ref={button}
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen((open) => !open)}
      >
        <Icon of={EllipsisVertical} />
        {label}
      </button>
      {isOpen && (
        <div id={id} class="actions-menu-list" onClick={close}>
          {children}
        </div>
      )}
    </div>
  );
}
