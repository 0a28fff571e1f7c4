/** The values of operators that take one of a list, with names for people: for completion, for agents and for the help. */
import { PLATFORMS, type Platform } from '../domain/platform.ts';
import { VALUES } from './firehose/labels.ts';
import { LANGUAGES, OPERATORS } from './x/syntax-table.ts';

export interface Value {
  readonly value: string;
  readonly name: string;
}

/** ISO 3166-1. */
const COUNTRIES =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI ' +
  'CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ ' +
  'GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS ' +
  'LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG ' +
  'PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK ' +
  'TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW';

/** Codes that X made up for posts without a language. */
const NO_LANGUAGE: Readonly<Record<string, string>> = {
  und: 'Not known',
  qam: 'Mentions alone',
  qct: 'Cashtags alone',
  qht: 'Hashtags alone',
  qme: 'Media alone',
  qst: 'Very short text',
  zxx: 'No text',
};

const names = (type: 'language' | 'region') => new Intl.DisplayNames('en', { type, fallback: 'code' });

function languages(codes: Iterable<string>): Value[] {
  const named = names('language');
  return Array.from(codes, (code) => ({ value: code, name: NO_LANGUAGE[code] ?? named.of(code) ?? code }));
}

function countries(): Value[] {
  const named = names('region');
  return COUNTRIES.split(' ').map((code) => ({ value: code, name: named.of(code) ?? code }));
}

/** `/News/Business_News` is called `News › Business News`. */
const labels = (found: Iterable<string>): Value[] =>
  Array.from(found, (label) => ({ value: label, name: label.slice(1).replaceAll('/', ' › ').replaceAll('_', ' ') }));

const choices = (operator: string): Value[] =>
  (OPERATORS.find(({ name }) => name === operator)?.choices ?? []).map(({ value, description }) => ({
    value,
    name: description,
  }));

/** Made when they are first asked for. */
const LISTS: Readonly<Record<Platform, Readonly<Record<string, () => Value[]>>>> = {
  x: {
    lang: () => languages(LANGUAGES.values()),
    place_country: countries,
    is: () => choices('is'),
    has: () => choices('has'),
  },
  firehose: {
    language: () => languages(VALUES.language),
    page_type: () => labels(VALUES.page_type),
    page_category: () => labels(VALUES.page_category),
  },
};

const made = new Map<string, readonly Value[]>();

/** As it is written in a rule or called in a table: with or without its colon. */
const nameOf = (operator: string): string => operator.trim().replace(/:$/, '').toLowerCase();

/** The operators of a platform that have a list of values. */
export const operatorsWithValues = (platform: Platform): string[] => Object.keys(LISTS[platform]);

/** The values of an operator in their usual order, labels sorted; undefined when it has no list. */
export function valuesOf(platform: Platform, operator: string): readonly Value[] | undefined {
  const name = nameOf(operator);
  if (!Object.hasOwn(LISTS[platform], name)) return undefined;
  const key = `${platform} ${name}`;
  const known = made.get(key) ?? LISTS[platform][name]!();
  made.set(key, known);
  return known;
}

/** The platform whose operator it is: no two have one of the same name with a list. */
export const platformWithValues = (operator: string): Platform | undefined =>
  PLATFORMS.find((platform) => Object.hasOwn(LISTS[platform], nameOf(operator)));

/** The values that begin so, then those of which a later word does, in the value or in the name. Case is ignored. */
export function valuesLike(values: readonly Value[], prefix: string): Value[] {
  const wanted = prefix.trim().toLowerCase();
  if (wanted === '') return [...values];
  const first = values.filter(({ value }) => value.toLowerCase().startsWith(wanted));
  const begun = wanted.replace(/^\/+/, '').replaceAll('_', ' ');
  const later = values.filter((one) => !first.includes(one) && hasWord(one, begun));
  return [...first, ...later];
}

const hasWord = ({ name }: Value, begun: string): boolean => {
  const text = ` ${name.toLowerCase()}`;
  return begun !== '' && text.includes(` ${begun}`);
};
