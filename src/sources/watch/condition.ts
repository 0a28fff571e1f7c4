/** When a change of a page is worth an event: a number within bounds, a text that appears or vanishes. */

export interface Condition {
  readonly below?: number | undefined;
  readonly above?: number | undefined;
  readonly appears?: string | undefined;
  readonly vanishes?: string | undefined;
}

/** Whether all parts of the condition hold. */
export function holdsIn(text: string, { below, above, appears, vanishes }: Condition): boolean {
  const shown = text.toLowerCase();
  const number = below === undefined && above === undefined ? undefined : firstNumber(text);
  return (
    (below === undefined || (number !== undefined && number < below)) &&
    (above === undefined || (number !== undefined && number > above)) &&
    (appears === undefined || shown.includes(appears.toLowerCase())) &&
    (vanishes === undefined || !shown.includes(vanishes.toLowerCase()))
  );
}

const NUMBER = /[-−]?\d(?:[\d.,'’\u00a0\u202f]{0,28}\d)?/;

/** The first number in a text, as people of several countries write it: 1,299.00, 1.299,00, 1’299 and 39.90. */
export function firstNumber(text: string): number | undefined {
  const [written] = NUMBER.exec(text) ?? [];
  if (written === undefined) return undefined;
  const digits = written.replace('−', '-').replaceAll(/['’\u00a0\u202f]/g, '');
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  if (last === -1) return Number(digits);
  const [sign, behind] = [digits[last]!, digits.length - last - 1];
  const isMixed = digits.includes(sign === '.' ? ',' : '.');
  const isDecimal = digits.indexOf(sign) === last && (isMixed || behind !== 3 || /^-?0/.test(digits));
  const whole = (isDecimal ? digits.slice(0, last) : digits).replaceAll(/[.,]/g, '');
  return Number(isDecimal ? `${whole}.${digits.slice(last + 1)}` : whole);
}
