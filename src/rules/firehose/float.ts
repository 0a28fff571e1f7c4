/** Reads and writes numbers like Java's 32-bit floats, which Lucene uses in suffixes and when it prints a query. */
const FLOAT = /^\s*([+-]?)(?:(NaN|Infinity)|((?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)[fFdD]?)\s*$/;

export function floatOf(text: string): number | undefined {
  const [, sign, name, digits] = FLOAT.exec(text) ?? [];
  const value = name ?? digits;
  if (value === undefined) return undefined;
  return Math.fround(sign === '-' ? -Number(value) : Number(value));
}

export function floatText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return '0.0';
  const shortest = shortestDigits(value);
  if (Math.abs(value) >= 1e-3 && Math.abs(value) < 1e7) return withPoint(String(Number(shortest)));
  const [mantissa, exponent] = Number(shortest).toExponential().split('e');
  return `${withPoint(mantissa!)}E${Number(exponent)}`;
}

function shortestDigits(value: number): string {
  for (let digits = 1; digits < 10; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return text;
  }
  return String(value);
}

const withPoint = (digits: string) => (digits.includes('.') ? digits : `${digits}.0`);
