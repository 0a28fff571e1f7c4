/** The facets beside the list: who, where, in which language, by which rule, and how many matches each has. Pure. */
import type { Facets } from '../data/queries.ts';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { languageWords } from '../words/languages.ts';
import type { FilterChange } from './filter.ts';

export type FacetName = keyof Facets['facets'];
type FacetValue = Facets['facets'][FacetName][number];

/** In the order in which they are shown. A facet that the API gains does not compile until it has its words here. */
export const FACET_LABELS = {
  rule: 'Rule',
  author: 'Author',
  domain: 'Site',
  language: 'Language',
  platform: 'Platform',
  source: 'Source',
  story: 'Story',
} as const satisfies Record<FacetName, string>;

export const FACET_NAMES = Object.keys(FACET_LABELS) as FacetName[];

export interface FacetRow {
  readonly value: string;
  readonly label: string;
  /** It is undefined where the chosen value is not among those that were counted. */
  readonly matches: number | undefined;
  readonly isChosen: boolean;
}

/** The counted values. The chosen one is always among them, so that it can be taken back. */
export function facetRows(values: readonly FacetValue[], chosen: string | undefined): FacetRow[] {
  const rows = values.map(({ value, label, matches }) => ({ value, label, matches, isChosen: value === chosen }));
  if (chosen === undefined || rows.some(({ isChosen }) => isChosen)) return rows;
  return [{ value: chosen, label: chosen, matches: undefined, isChosen: true }, ...rows];
}

/** A chosen value is taken back by choosing it again. */
export const facetChange = (name: FacetName, { value, isChosen }: FacetRow): FilterChange => ({
  [name]: isChosen ? undefined : value,
});

const SOURCES: Readonly<Record<string, string>> = { push: 'Sent in by a program', demo: 'Demo feed' };

/** The name of what brought an event. Sources of the account have names of their own. */
export const sourceWords = (source: string): string => SOURCES[source] ?? source;

/** The name that a person has for a value. A code that is no language stays as it is. */
export function facetWords(name: FacetName, { value, label }: Pick<FacetRow, 'value' | 'label'>): string {
  if (name === 'platform') return value === 'x' || value === 'firehose' ? PLATFORM_NAMES[value] : value;
  if (name === 'source') return sourceWords(label);
  return name === 'language' ? (languageWords(value) ?? label) : label;
}
