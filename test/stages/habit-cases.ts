/** Reads test/corpus/habits: what people type out of habit, with the events that it is meant to match and not to match. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Platform } from '../../src/domain/platform.ts';

export interface HabitCase {
  readonly platform: Platform;
  readonly typed: string;
  readonly matches: string[];
  readonly misses: string[];
  /** The platform has no way to say it. */
  cannot: boolean;
}

/** `\u00a0` stands for what a line does not show. */
const shown = (text: string) =>
  text.replaceAll(/\\u([0-9a-f]{4})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));

export function readHabits(file: string): HabitCase[] {
  const cases: HabitCase[] = [];
  const path = join(import.meta.dirname, '..', 'corpus', 'habits', file);
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const [, sign = '', text = ''] = /^(\S+)(?:\s+(.*))?$/.exec(line) ?? [];
    if (sign === 'x' || sign === 'firehose')
      cases.push({ platform: sign, typed: shown(text), matches: [], misses: [], cannot: false });
    else if (sign === '+') cases.at(-1)!.matches.push(shown(text));
    else if (sign === '-') cases.at(-1)!.misses.push(shown(text));
    else if (sign === '?') cases.at(-1)!.cannot = true;
  }
  return cases;
}

/** The payload of a case's event: a page in JSON or as its new text, a post as its text behind what else it has. */
export function payloadOf(platform: Platform, written: string): unknown {
  const page = { id: '1', url: 'https://z.org/' };
  if (platform === 'x') return postOf(written);
  return written.startsWith('{') ? { ...page, ...JSON.parse(written) } : { ...page, added: written };
}

const AUTHOR = '2000000001';
const link = (expanded_url: string, title = '') => ({
  entities: { urls: [{ start: 0, end: 5, url: 'https://t.co/a', expanded_url, title }] },
});
const answer = { referenced_tweets: [{ type: 'replied_to', id: '7' }], in_reply_to_user_id: '3' };

/** Each name before a text adds something to a post: to its data, to its author, to what it includes. */
const TRAITS: Readonly<Record<string, (value: string) => { data?: object; user?: object; includes?: object }>> = {
  rt: () => ({ data: { referenced_tweets: [{ type: 'retweeted', id: '7' }] } }),
  reply: () => ({ data: answer }),
  to: (name) => ({ data: answer, includes: { users: [{ id: '3', username: name, name }] } }),
  from: (username) => ({ user: { username } }),
  lang: (lang) => ({ data: { lang } }),
  followers: (count) => ({ user: { public_metrics: { followers_count: Number(count) } } }),
  image: () => ({
    data: { attachments: { media_keys: ['3_1'] } },
    includes: { media: [{ media_key: '3_1', type: 'photo' }] },
  }),
  link: (url) => ({ data: link(url) }),
  linktitle: (title) => ({ data: link('https://a.org/', title) }),
  country: (code) => ({
    data: { geo: { place_id: 'p1' } },
    includes: { places: [{ id: 'p1', full_name: 'A, B', country_code: code }] },
  }),
};

function postOf(written: string): unknown {
  let text = written;
  let [data, user, includes]: object[] = [{ lang: 'en' }, { username: 'ada' }, {}];
  for (let trait = nextTrait(text); trait !== undefined; trait = nextTrait(text)) {
    const added = TRAITS[trait.name]!(trait.value);
    [data, user, includes] = [
      { ...data, ...added.data },
      { ...user, ...added.user },
      { ...includes, ...added.includes },
    ];
    text = text.slice(trait.length);
  }
  const author = { id: AUTHOR, name: 'Ada', ...user };
  const named = 'users' in includes! && Array.isArray(includes.users) ? includes.users : [];
  return {
    data: {
      id: '1700000000000000000',
      author_id: AUTHOR,
      text,
      ...data,
      entities: { ...marksIn(text), ...('entities' in data! ? (data.entities as object) : {}) },
    },
    includes: { ...includes, users: [author, ...named] },
  };
}

function nextTrait(text: string): { name: string; value: string; length: number } | undefined {
  const [all, name, value = ''] = /^\{(\w+)(?::([^}]*))?\}\s*/.exec(text) ?? [];
  return all === undefined || name === undefined ? undefined : { name, value, length: all.length };
}

const marksIn = (text: string) => ({
  hashtags: [...text.matchAll(/#(\w+)/g)].map(({ 0: all, 1: tag, index }) => ({
    start: index,
    end: index + all.length,
    tag,
  })),
  mentions: [...text.matchAll(/@(\w+)/g)].map(({ 0: all, 1: username, index }) => ({
    start: index,
    end: index + all.length,
    username,
  })),
});
