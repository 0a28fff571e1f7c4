/** A text without these characters at its end. `/x+$/` takes quadratic time on a text that has many of them elsewhere. */
export function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
