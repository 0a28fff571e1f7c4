/** A record of GDELT's Global Knowledge Graph, version 2.1: one article with what was found in it, separated by tabs. */
import { type Page, pageOf } from '../contract/page.ts';
import { decodeReferences } from '../text/plain-text.ts';

/** Columns, counted from 0. */
const RECORD_ID = 0;
const DATE = 1;
const COLLECTION = 2;
const ADDRESS = 4;
const PLACES = 9;
const PERSONS = 11;
const ORGANIZATIONS = 13;
const TRANSLATION = 25;
const EXTRAS = 26;

/** Longer records are skipped: one has a few kilobytes. */
const MAX_LINE = 1024 * 1024;
const MAX_NAMES = 50;
/** Collections beside that of the web: broadcasts, journals and others. */
const ELSEWHERE = /^[2-9]$/;

/** Lines as text. One that is too long comes as an empty one, which is no record. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let isCut = false;
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      yield isCut || line.length > MAX_LINE ? '' : line;
      isCut = false;
    }
    if (rest.length > MAX_LINE) [rest, isCut] = ['', true];
  }
  if (isCut || rest !== '') yield isCut ? '' : rest;
}

/** Returns undefined when the line cannot be read, and `elsewhere` for a record that is not of the web. */
export function pageOfRecord(
  source: string,
  line: string,
  { translated }: { readonly translated: boolean },
): Page | 'elsewhere' | undefined {
  const columns = line.replace(/\r$/, '').split('\t');
  const at = (column: number): string => columns[column] ?? '';
  const url = at(ADDRESS);
  if (columns.length <= EXTRAS || !/^[\w-]{1,100}$/.test(at(RECORD_ID))) return undefined;
  if (!/^https?:\/\//.test(url)) return ELSEWHERE.test(at(COLLECTION)) ? 'elsewhere' : undefined;
  const title = decodeReferences(/<PAGE_TITLE>([^<]*)<\/PAGE_TITLE>/.exec(at(EXTRAS))?.[1] ?? '').trim();
  const names = {
    persons: listed(at(PERSONS)),
    organizations: listed(at(ORGANIZATIONS)),
    places: placesIn(at(PLACES)),
  };
  const [, code] = /\bsrclc:([a-z]{3})/.exec(at(TRANSLATION)) ?? [];
  return pageOf({
    source,
    id: at(RECORD_ID),
    url,
    title: title || undefined,
    added: [title, ...Object.values(names).map((list) => list.join('; '))].filter((part) => part !== ''),
    language: translated ? code && Intl.getCanonicalLocales(code)[0] : 'en',
    publishedAt: new Date(at(DATE).replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3T$4:$5:$6Z')),
    types: ['/Article', '/Article/News_Update'],
    original: { record: at(RECORD_ID), outlet: at(3), ...names, themes: listed(at(7)), tone: at(15) },
  });
}

const listed = (column: string): string[] => column.split(';', MAX_NAMES).filter((name) => name !== '');

/** A place is type, full name and more, separated by `#`. */
const placesIn = (column: string): string[] => [
  ...new Set(column.split(';', MAX_NAMES).flatMap((place) => place.split('#')[1] || [])),
];
