// What went wrong, told at once to who cannot see it.

/** Nothing where there is no text. */
export function Alert({ text }: { readonly text: string | undefined }) {
  if (!text) return null;
  return (
    <p class="notice" role="alert">
      {text}
    </p>
  );
}
