/** Values in the order in which people choose them: the languages and countries of most posts first. Pure. */
const LANGUAGES = 'en es ja pt ar fr de id tr ko ru it hi th nl pl fa uk zh'.split(' ');
const COUNTRIES = 'US GB JP BR IN DE FR ES MX CA ID TR IT SA AR AU'.split(' ');

const FIRST: Readonly<Record<string, readonly string[]>> = {
  lang: LANGUAGES,
  language: LANGUAGES,
  place_country: COUNTRIES,
};

/** Among values that begin with what was typed; those that only have it in their name stay behind them. */
export function commonFirst<Value extends { readonly value: string }>(
  field: string,
  typed: string,
  values: readonly Value[],
): Value[] {
  const first = FIRST[field] ?? [];
  const begins = ({ value }: Value) => value.toLowerCase().startsWith(typed.toLowerCase());
  const rank = ({ value }: Value) => {
    const at = first.indexOf(value);
    return at === -1 ? first.length : at;
  };
  const found = values.filter(begins).toSorted((one, other) => rank(one) - rank(other));
  return [...found, ...values.filter((value) => !begins(value))];
}
