/** Reading events: what a sender can make longer, made as bad as it gets, costs no more than its length. */
import { describe } from 'vitest';
import { domainsOfUrl } from '../../src/base/domains.ts';
import { isDeeperThan, parseJson } from '../../src/base/json.ts';
import { parseUrl, withoutSecrets, withShownSources } from '../../src/base/parse-url.ts';
import { textFinder } from '../../src/base/text-finder.ts';
import { EVENT_LIMITS, OTHER_ENTRIES } from '../../src/engine/events/limits.ts';
import { pageAnalyzer } from '../../src/engine/events/page-event.ts';
import { timeIn } from '../../src/engine/events/time.ts';
import { xAnalyzer } from '../../src/engine/events/x-event.ts';
import { LONGEST_POST } from '../../src/engine/events/x-post.ts';
import { foldText, sourceOffsets } from '../../src/engine/events/x-text.ts';
import { parseExact } from '../../src/platforms/x/lines.ts';
import { earlierVersions, postIdOf, readLine } from '../../src/service/ingest/payloads.ts';
import { postOfStatus, statusShape } from '../../src/sources/kinds/mastodon-post.ts';
import { mostLikely, readLanguageTable } from '../../src/sources/text/language-table.ts';
import { textFilter } from '../../src/store/nouns/matches.ts';
import { HARD_MARKS } from '../generated/marks.ts';
import { doubling, upTo } from './doubling.ts';

/** Long enough for quadratic work to take seconds. */
const LINE = 64 * 1024;
const { entries, characters } = EVENT_LIMITS;
const languages = await readLanguageTable();
const filled = (part: string, length: number): string => part.repeat(Math.ceil(length / part.length)).slice(0, length);
const shown = (part: string): string => JSON.stringify(part).slice(0, 24);
const listOf = <T>(length: number, make: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => make(index));

describe('the analyzer of posts', () => {
  const analyze = xAnalyzer();
  const work = (payload: unknown): void => void analyze(payload);
  const post = (data: object, includes?: object) => ({ data: { id: '1', text: 'a', ...data }, includes });

  for (const part of [
    'a ',
    '#a ',
    '@a ',
    '$a ',
    'a.co ',
    'http://',
    'a.',
    '🌋',
    '&amp;',
    'x\u0301',
    '\ud800',
    '火',
    ...HARD_MARKS,
  ]) {
    const make = (size: number) => post({ text: filled(part, size) });
    doubling(`a text of ${shown(part)}`, { sizes: upTo(LONGEST_POST / 4), make, work });
    const long = (size: number) => post({ text: filled(part, size), entities: {} });
    doubling(`a long text of ${shown(part)}`, { sizes: upTo(LINE), make: long, work });
  }
  for (const kind of ['hashtags', 'cashtags', 'mentions', 'urls', 'annotations']) {
    const entity = (index: number) => ({ tag: `t${index}`, username: `u${index}`, url: `http://e.com/${index}` });
    const make = (size: number) => post({ entities: { [kind]: listOf(size, entity) } });
    doubling(`a list of ${kind}`, { sizes: upTo(entries[kind]!), make, work });
  }
  for (const part of HARD_MARKS) {
    doubling(`the way back from a text of ${shown(part)}`, {
      sizes: upTo(LINE),
      make: (size) => {
        const source = `b${filled(part, size)}`;
        return { field: 'text', text: foldText(source), path: 'data.text', source, span: undefined };
      },
      work: (piece) => void [...sourceOffsets(piece)],
    });
  }
  doubling('people whom the author belongs to', {
    sizes: upTo(OTHER_ENTRIES),
    make: (size) => {
      const ids = listOf(size, (index) => String(index + 900));
      const users = listOf(size * 15, (index) => ({ id: String(index), username: `u${index}` }));
      return post({ author_id: 'a' }, { users: [...users, { id: 'a', affiliation: { user_id: ids } }] });
    },
    work,
  });
  doubling('a list that is far too long', {
    sizes: upTo(20_000),
    make: (size) => post({ entities: { hashtags: listOf(size, () => ({ tag: 'a' })) } }),
    work,
  });
  doubling('a place with too many coordinates', {
    sizes: upTo(20_000),
    make: (size) => post({ geo: { coordinates: { coordinates: listOf(size, (index) => index) } } }),
    work,
  });
});

describe('the analyzer of pages', () => {
  const analyze = pageAnalyzer();
  const work = (payload: unknown): void => void analyze(payload);

  for (const part of ['a ', 'the ', 'ab1 ', 'a.', "a'b ", '火', 'x\u0301', '\ud800', 'aΣ ', ...HARD_MARKS]) {
    const make = (size: number) => ({ id: '1', added: filled(part, size) });
    doubling(`a text of ${shown(part)}`, { sizes: upTo(LINE), make, work });
  }
  doubling('one long word', { sizes: upTo(LINE), make: (size) => ({ id: '1', added: filled('a', size) }), work });
  doubling('chunks', {
    sizes: upTo(entries['chunks']!),
    make: (size) => ({ id: '1', diff: { chunks: listOf(size, (index) => ({ typ: 'ins', text: `w${index}` })) } }),
    work,
  });
  doubling('an address of many labels', {
    sizes: upTo(characters['url']!),
    make: (size) => ({ url: `http://${filled('a.', size - 7)}` }),
    work,
  });
  doubling('a host of many labels', {
    sizes: upTo(LINE),
    make: (size) => `http://${filled('a.', size)}`,
    work: domains,
  });
  doubling('an address of many names before the host', {
    sizes: upTo(LINE),
    make: (size) => `http://${filled('a@', size)}`,
    work: domains,
  });
  doubling('a time of many digits', {
    sizes: upTo(LINE),
    make: (size) => `2026-01-01T00:00:00.${filled('0', size)}`,
    work: (text) => void timeIn(text),
  });
});

describe('looking for a text that somebody else chose', () => {
  const halves = (size: number) => filled('a', size / 2);
  doubling('in a text that nearly has it everywhere', {
    sizes: upTo(LINE),
    make: (size) => ({ text: filled('a', size), wanted: `${halves(size)}b${halves(size)}` }),
    work: ({ text, wanted }) => void textFinder(wanted).indexIn(text),
  });
  doubling('at every place of a text that has it everywhere', {
    sizes: upTo(LINE),
    make: (size) => ({ text: filled('a', size), wanted: halves(size) }),
    work: ({ text, wanted }) => textFinder(wanted).each(text, () => true),
  });
  doubling('among matches', {
    sizes: upTo(LINE),
    make: (size) => ({
      payload: JSON.stringify({ text: filled('a', size) }),
      has: textFilter(`${halves(size)}b${halves(size)}`),
    }),
    work: ({ payload, has }) => void has(payload, 'x'),
  });
});

describe('a status of Mastodon', () => {
  const status = (content: string, more: object = {}) => ({
    id: '1',
    created_at: '',
    language: 'en',
    content,
    ...more,
  });
  const work = (given: object) => void postOfStatus('m', 'https://m.example', statusShape.parse(given));
  const STATUSES: Record<string, (size: number) => object> = {
    'of links and tags': (size) =>
      status(filled('<a href="https://a.example/">#a</a> b.co ', size), {
        tags: listOf(size / 64, () => ({ name: 'a' })),
      }),
    'with tags that nearly stand in it': (size) =>
      status(filled('#a', size), { tags: listOf(size / 64, (at) => ({ name: filled('a#', at) })) }),
    'with one long tag': (size) => status(`#${filled('a', size)}`, { tags: [{ name: `${filled('a', size / 2)}b` }] }),
    'of an address that ends with dots': (size) => status(`https://a.example/${filled('.', size)}`),
    'of many addresses': (size) => status(filled('https://a.example/ <a href="b">c</a>', size)),
  };
  for (const [name, make] of Object.entries(STATUSES)) doubling(name, { sizes: upTo(LINE), make, work });
});

describe('an address', () => {
  for (const part of ['火', '\u0f73', '%E7%81%AB', 'é.']) {
    doubling(`with a host of ${shown(part)}`, {
      sizes: upTo(16 * 1024),
      make: (size) => `http://${filled(part, size)}/`,
      work: (url) => void parseUrl(url),
    });
  }
});

describe('an address whose secrets are left out', () => {
  const work = (url: string): void => void withoutSecrets(url);
  for (const part of ['token=a&', 'a=b&token=c&', 'token&', '%74oken=&'])
    doubling(`of parameters like ${shown(part)}`, {
      sizes: upTo(LINE / 4),
      make: (size) => `https://a.example/?${filled(part, size)}`,
      work,
    });
  for (const part of ['https://a:b@a.example/?c ', 'https://', 'https://a.example/?https://', '...', 'https://a.)'])
    doubling(`in a message of ${shown(part)}`, {
      sizes: upTo(LINE),
      make: (size) => filled(part, size),
      work: (message) => void withShownSources(message),
    });
});

describe('the language of an item', () => {
  /** Many texts for each measurement, since a thousand characters are too few to be timed. */
  const texts = (part: string) => (size: number) => Array<string>(50).fill(filled(part, size));
  for (const part of ["'", '’', ".'", "a'", '.', 'a ', '火', '🌋']) {
    doubling(`a text of ${JSON.stringify(part)}`, {
      sizes: upTo(1_000),
      make: texts(part),
      work: (all) => all.forEach((text) => void mostLikely(languages, text)),
    });
  }
});

function domains(url: string): void {
  domainsOfUrl(url);
}

describe('a pushed line', () => {
  const KEYS = `{${listOf(400, (index) => `"k${index}":1`).join()}}`;
  const inText = (text: string) => `{"data":{"id":"1","text":"${text}"}}`;
  const LINES: Record<string, (size: number) => string> = {
    'of plain text': (size) => inText(filled('a ', size)),
    'of escaped quotes': (size) => inText(filled('\\"', size)),
    'of backslashes': (size) => inText(filled('\\\\', size)),
    'of brackets inside a text': (size) => inText(filled('[{', size)),
    'of empty arrays': (size) => `{"data":[${filled('[],', size)}1]}`,
    'of keys': (size) => `{"data":[${listOf(size / 4_096, () => KEYS).join()}]}`,
    'of open brackets': (size) => `{"data":${filled('[', size)}`,
    'of blanks': (size) => `${filled(' ', size)}{`,
    'of digits': (size) => `{"data":${filled('1', size)}}`,
    'of quotes without an end': (size) => `{${filled('"\\', size)}`,
  };
  const sizes = upTo(LINE);
  for (const [name, make] of Object.entries(LINES)) {
    doubling(name, { sizes, make, work: (line) => void readLine('x', line) });
    doubling(`${name}, asked for its depth alone`, { sizes, make, work: (line) => void isDeeperThan(line, 64) });
    doubling(`${name}, as a request`, { sizes, make, work: (line) => void parseJson(line, { depth: 64, keys: 1e9 }) });
    doubling(`${name}, as a record of X`, { sizes, make, work: (line) => void parseExact(line) });
  }
  doubling('the id of a page without one', {
    sizes,
    make: (size) => ({ url: 'http://a', added: filled('a', size) }),
    work: (payload) => void postIdOf('firehose', payload, ''),
  });
  doubling('a history of edits', {
    sizes: upTo(20_000),
    make: (size) => ({ data: { edit_history_tweet_ids: listOf(size, String) } }),
    work: (payload) => void earlierVersions('x', payload, '1'),
  });
});
