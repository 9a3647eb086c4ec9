// How lessons are called that are being written: `sandbar lesson serve` publishes them under such a name, and their pages look for changes often.
export const draftSuffix = "-draft";
