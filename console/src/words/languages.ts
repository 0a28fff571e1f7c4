const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' });

/** The English name of a language; undefined where its code is none. */
export function languageWords(code: string): string | undefined {
  try {
    return names.of(code);
  } catch {
    return undefined;
  }
}
