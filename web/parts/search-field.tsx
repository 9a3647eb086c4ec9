// The field that filters a list.
interface Props {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly change: (value: string) => void;
}

export function SearchField({ label, placeholder, value, change }: Props) {
  return (
    <input
      class="search"
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={value}
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}
