/** Times as feeds write them: RFC 822 and ISO 8601 in all their variations. */

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** Hours from UTC. */
const ZONES: Readonly<Record<string, number>> = {
  ut: 0,
  utc: 0,
  gmt: 0,
  z: 0,
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
  cet: 1,
  cest: 2,
  et: -5,
  ct: -6,
  mt: -7,
  pt: -8,
};

const ISO =
  /^(\d{4})(?:-?(\d{2})(?:-?(\d{2}))?)?(?:[T\s]+(\d{2}):?(\d{2})(?::?(\d{2})(?:[.,]\d+)?)?)?\s*(Z|[+-]\d{2}:?\d{2}|[+-]\d{2})?$/i;
const ORDINAL = /^(\d{4})-(\d{3})$/;
const RFC =
  /^(?:[a-z]+,?\s+)?(\d{1,2})[\s-]+([a-z]{3})[a-z]*[\s,-]+(\d{2}|\d{4})(?:[\sT]+(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.\d+)?)?)?\s*([a-z]+|(?:GMT|UTC)?\s*[+-]\d{1,2}:?\d{2})?(?:\s*\(.*\))?$/i;
const ASCTIME = /^[a-z]{3,9}\s+([a-z]{3})\s+(\d{1,2})\s+(\d{1,2}):(\d{2}):(\d{2})\s+(?:([a-z]{1,4})\s+)?(\d{4})$/i;
const AMERICAN =
  /^(?:[a-z]+,?\s+)?([a-z]{3})[a-z]*\.?\s+(\d{1,2}),?\s+(\d{4})(?:,?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([a-z]+)?)?$/i;

/** Returns undefined when the text is no time. A time without a zone is UTC. */
export function dateOf(given: string | undefined): Date | undefined {
  const text = given?.trim().replace(/\s+/g, ' ') ?? '';
  if (text === '' || text.length > 100) return undefined;
  const iso = text.match(ISO);
  if (iso !== null) return at(iso[1], iso[2] ?? '1', iso[3] ?? '1', iso[4], iso[5], iso[6], iso[7]);
  const ordinal = text.match(ORDINAL);
  if (ordinal !== null) return at(ordinal[1], '1', ordinal[2]);
  const rfc = text.match(RFC);
  if (rfc !== null) return at(rfc[3], monthOf(rfc[2]!), rfc[1], rfc[4], rfc[5], rfc[6], rfc[7]);
  const asctime = text.match(ASCTIME);
  if (asctime !== null)
    return at(asctime[7], monthOf(asctime[1]!), asctime[2], asctime[3], asctime[4], asctime[5], asctime[6]);
  const american = text.match(AMERICAN);
  if (american !== null)
    return at(american[3], monthOf(american[1]!), american[2], american[4], american[5], american[6], american[7]);
  return undefined;
}

const monthOf = (name: string): string | undefined => {
  const month = MONTHS.indexOf(name.toLowerCase());
  return month === -1 ? undefined : String(month + 1);
};

function at(
  year = '',
  month?: string,
  day = '1',
  hour = '0',
  minute = '0',
  second = '0',
  zone?: string,
): Date | undefined {
  if (month === undefined || Number(month) > 12 || Number(hour) > 24 || Number(minute) > 60) return undefined;
  const full = year.length === 2 ? Number(year) + (Number(year) < 70 ? 2000 : 1900) : Number(year);
  const time =
    Date.UTC(full, Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)) - offsetOf(zone);
  const date = new Date(time);
  return Number.isNaN(time) || date.getUTCFullYear() > 9999 || date.getUTCFullYear() < 0 ? undefined : date;
}

function offsetOf(zone: string | undefined): number {
  const numbers = zone?.match(/([+-])(\d{1,2}):?(\d{2})?$/);
  if (numbers) {
    const minutes = Number(numbers[2]) * 60 + Number(numbers[3] ?? 0);
    return (numbers[1] === '-' ? -minutes : minutes) * 60_000;
  }
  return (ZONES[zone?.trim().toLowerCase() ?? ''] ?? 0) * 3_600_000;
}
