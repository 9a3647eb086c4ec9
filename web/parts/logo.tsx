// The mark of the house.

export function Logo() {
  return <img class="logo" src="/icon.svg" alt="" width="28" height="28" />;
}
