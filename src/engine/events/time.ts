/**
 * Reads ISO date-times. A time without a zone is UTC, as both platforms mean it; `Date.parse` would take the zone of the
 * machine, and is slower.
 */
export function timeIn(value: unknown): number | undefined {
  if (typeof value !== 'string' || value.charCodeAt(4) !== DASH || value.charCodeAt(7) !== DASH) return undefined;
  const day = Date.UTC(digits(value, 0, 4), digits(value, 5, 2) - 1, digits(value, 8, 2));
  if (value.length === 10) return known(day);
  const seconds = value.charCodeAt(16) === COLON;
  const clock = digits(value, 11, 2) * 3600 + digits(value, 14, 2) * 60 + (seconds ? digits(value, 17, 2) : 0);
  let at = seconds ? 19 : 16;
  let thousandths = 0;
  if (value.charCodeAt(at) === DOT) {
    for (let weight = 100; isDigit(value.charCodeAt(++at)); weight /= 10) {
      thousandths += (value.charCodeAt(at) - ZERO) * weight;
    }
  }
  return known(day + clock * 1000 + Math.floor(thousandths) - zoneMinutes(value, at) * 60_000);
}

const DASH = 45;
const DOT = 46;
const ZERO = 48;
const COLON = 58;

const isDigit = (unit: number) => unit >= ZERO && unit <= 57;

/** NaN where something else than digits stands; it carries through to the result. */
function digits(text: string, from: number, count: number): number {
  let value = 0;
  for (let at = from; at < from + count; at++) {
    const unit = text.charCodeAt(at);
    value = isDigit(unit) ? value * 10 + unit - ZERO : Number.NaN;
  }
  return value;
}

function zoneMinutes(text: string, at: number): number {
  if (at === text.length) return 0;
  const sign = text[at];
  if (sign === 'Z' || sign === 'z') return 0;
  if (sign !== '+' && sign !== '-') return Number.NaN;
  const minutes = digits(text, at + 1, 2) * 60 + digits(text, at + (text[at + 3] === ':' ? 4 : 3), 2);
  return sign === '+' ? minutes : -minutes;
}

const known = (milliseconds: number) => (Number.isNaN(milliseconds) ? undefined : milliseconds);
