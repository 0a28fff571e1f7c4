/** Matching against other people's verdicts: Lucene's over real pages, X's over real posts; and against hostile text. */
import { describe, expect, it } from 'vitest';
import type { Highlight } from '../src/domain/match.ts';
import { createCoreEngine } from '../src/engine/core/core-engine.ts';
import { type Analyzer, type EventView, isRejection } from '../src/engine/events/event-view.ts';
import { pageAnalyzer } from '../src/engine/events/page-event.ts';
import { xAnalyzer } from '../src/engine/events/x-event.ts';
import { holds } from '../src/engine/scan.ts';
import { build } from '../src/rules/firehose/build.ts';
import { firehoseLanguage } from '../src/rules/firehose/language.ts';
import { lower } from '../src/rules/firehose/lower.ts';
import { Report } from '../src/rules/firehose/messages.ts';
import { parseSyntax } from '../src/rules/firehose/parse.ts';
import { compilePattern } from '../src/rules/pattern/pattern.ts';
import { any, type Predicate, type Query } from '../src/rules/query.ts';
import { xLanguage } from '../src/rules/x/language.ts';
import { fold } from '../src/rules/x/words.ts';
import { explanationOf, highlightsOf } from './stages/explaining.ts';
import { hasSharedData, sharedJson, sharedLines } from './stages/shared-data.ts';

interface Page {
  readonly id: string;
  readonly url?: string;
}

interface Post {
  readonly data: { readonly id: string; readonly text: string };
}

function viewOf(analyze: Analyzer, payload: unknown): EventView {
  const view = analyze(payload);
  if (isRejection(view)) throw new Error(view.rejected);
  return view;
}

describe.runIf(hasSharedData)('shared: Lucene over real pages', () => {
  const analyze = pageAnalyzer();
  // That index knew one domain a page.
  const view = (page: Page) =>
    viewOf(analyze, {
      ...page,
      domain: page.url === undefined ? [] : new URL(page.url).hostname.replace(/^www\./, ''),
    });

  it('finds the same pages for every rule', () => {
    const pages = sharedLines<Page>('pages/pages.ndjson.gz');
    const verdicts = sharedLines<{ query: string; ok: boolean; matches: string[] }>(
      'rules/lucene-verdicts.ndjson.gz',
    ).filter((verdict) => verdict.ok);
    const vocabulary = new Set<string>();
    for (const page of pages) addWords(view(page), 'added', vocabulary);
    const queries = verdicts.map(({ query }) => withBestExpansions(plainQuery(query), [...vocabulary]));
    const engine = createCoreEngine({ now: () => 0 });
    for (const [at, query] of queries.entries()) engine.put(String(at), query);

    const found = queries.map((): string[] => []);
    for (const page of pages) {
      const { matches, failures } = engine.match(view(page));
      expect(failures).toEqual([]);
      for (const rule of matches) found[Number(rule)]!.push(page.id);
    }
    const expected = verdicts.map(({ query, matches }) => ({ query, matches: matches.toSorted() }));
    expect(verdicts.map(({ query }, at) => ({ query, matches: found[at]!.toSorted() }))).toEqual(expected);

    // The oracle is slow: it looks at some of the pages.
    for (const page of pages.filter((_, at) => at % 20 === 0)) {
      const event = view(page);
      const scanned = queries.flatMap((query, at) => (holds(query, event, 0) ? [at] : []));
      expect(scanned).toEqual(expected.flatMap(({ matches }, at) => (matches.includes(page.id) ? [at] : [])));
    }
  });
});

/** To Lucene `dr` and `recent` are fields like others. */
function plainQuery(text: string): Query {
  const report = new Report();
  const clauses = parseSyntax(text, report);
  return lower(clauses && build(clauses, { plain: true, report, special: () => undefined }));
}

function addWords({ pieces, words }: EventView, field: string, to: Set<string>): void {
  for (let at = 0; at < words.count; at++) {
    const piece = pieces[words.pieces[at]!]!;
    if (piece.field === field) to.add(piece.text.slice(words.starts[at], words.ends[at]));
  }
}

/**
 * Over a whole index Lucene tries no more than the 50 terms nearest to a fuzzy one (ties in order of the alphabet). On a
 * stream there is no index to choose from, and every near term counts; to compare, the choice is made here.
 */
function withBestExpansions(query: Query, vocabulary: readonly string[]): Query {
  if (query.kind === 'not') return { kind: 'not', query: withBestExpansions(query.query, vocabulary) };
  if (query.kind === 'fuzzy' && query.field === 'added') return bestExpansions(query, vocabulary);
  if (query.kind !== 'all' && query.kind !== 'any') return query;
  return { kind: query.kind, of: query.of.map((part) => withBestExpansions(part, vocabulary)) };
}

function bestExpansions(fuzzy: Extract<Predicate, { kind: 'fuzzy' }>, vocabulary: readonly string[]): Query {
  const within = Array.from({ length: fuzzy.edits + 1 }, (_, edits) => compilePattern({ ...fuzzy, edits }));
  const lengthOf = (term: string) => Array.from(term).length;
  const near = vocabulary.flatMap((term) => {
    const edits = within.findIndex((pattern) => pattern.test(term, 0, term.length));
    return edits < 0 ? [] : [{ term, likeness: 1 - edits / Math.min(lengthOf(term), lengthOf(fuzzy.term)) }];
  });
  const nearest = near.toSorted(
    (a, b) => b.likeness - a.likeness || Buffer.compare(Buffer.from(a.term), Buffer.from(b.term)),
  );
  return any(nearest.slice(0, 50).map(({ term }) => ({ kind: 'term', field: fuzzy.field, term })));
}

describe.runIf(hasSharedData)('shared: X over real posts', () => {
  const analyze = xAnalyzer();
  const files = new Map<string, Post[]>();
  const postsOf = (file: string) => {
    const posts = files.get(file) ?? sharedLines<Post>(`posts/${file}`);
    files.set(file, posts);
    return posts;
  };

  // Search is not the stream: it does not look into quoted posts. None of these queries meets a post where that shows.
  it.each(
    hasSharedData
      ? sharedJson<{ query: string; posts_file: string; must_match: string[]; must_not_match: string[] }[]>(
          'posts/x-search-verdicts.json',
        )
      : [],
  )('returns for $query what X returned', ({ query: text, posts_file, must_match, must_not_match }) => {
    const query = xLanguage().queryOf(text);
    const posts = new Map(postsOf(posts_file).map((post) => [post.data.id, post]));
    const returned = (id: string) => holds(query!, viewOf(analyze, posts.get(id)), 0);
    expect(must_match.filter((id) => !returned(id))).toEqual([]);
    expect(must_not_match.filter(returned)).toEqual([]);
  });

  it.each(['x-v2-posts', 'x-v1-posts-in-v2-shape'])('reads every post of %s and shows its tags in place', (file) => {
    let shown = 0;
    for (const post of postsOf(`${file}.ndjson.gz`)) {
      const view = viewOf(analyze, post);
      for (const { field, text } of view.pieces.filter(
        (piece) => piece.field === 'hashtag' || piece.field === 'cashtag',
      )) {
        for (const one of highlightsOf({ kind: 'term', field, term: text }, view, 0)) {
          // A tag that a repost's text was cut before stands in its entity, without its sign.
          const sign = one.field.endsWith('.tag') ? 0 : 1;
          expect(fold(textAt(post, one.field).slice(one.start, one.end)).slice(sign)).toBe(text);
          shown++;
        }
      }
    }
    expect(shown).toBeGreaterThan(1000);
  });

  it('shows every word of a share of the short texts in place', () => {
    for (const [at, { id, text }] of sharedLines<{ id: string; text: string }>(
      'posts/short-texts.ndjson.gz',
    ).entries()) {
      if (at % 40 !== 0) continue;
      const view = viewOf(analyze, { data: { id, text, entities: {} } });
      const { pieces, words } = view;
      for (let word = 0; word < words.count && pieces[words.pieces[word]!]!.field === 'text'; word++) {
        const term = pieces[0]!.text.slice(words.starts[word], words.ends[word]);
        const [first] = highlightsOf({ kind: 'term', field: 'text', term }, view, 0);
        expect(fold(text.slice(first!.start, first!.end).replace(/&(?:amp|lt|gt);/g, ''))).toContain(term);
      }
    }
  });
});

const textAt = (payload: unknown, path: string): string =>
  String(path.split('.').reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], payload));

describe.runIf(hasSharedData)('shared: hostile text', () => {
  const strings = () => [
    ...sharedJson<string[]>('conformance/strings/naughty-strings.json'),
    ...sharedJson<string[]>('security/sql-injection.json'),
    ...sharedJson<string[]>('security/markup-and-format-strings.json'),
    ...sharedJson<string[]>('security/json-fuzz-values.json'),
    ...sharedJson<{ url: string }[]>('security/ssrf-urls.json').map(({ url }) => url),
  ];

  it('is analysed, matched and shown without harm', () => {
    const readPost = xAnalyzer();
    const readPage = pageAnalyzer();
    for (const text of strings()) {
      const [name, code] = [text.slice(0, 1_000), text.slice(0, 60)];
      const post = { data: { id: '1', text, author_id: name, lang: code, source: name, created_at: text } };
      const [url, title] = [text.slice(0, 8_000), text.slice(0, 8_000)];
      const page = { id: '1', url, title, added: text, publish_time: code, page_category: [name] };
      expect(wrongWith(xLanguage().queryOf(text), viewOf(readPost, post), post)).toEqual([]);
      expect(wrongWith(firehoseLanguage.queryOf(text), viewOf(readPage, page), page)).toEqual([]);
    }
  });

  function wrongWith(query: Query | undefined, view: EventView, payload: unknown): unknown[] {
    if (query === undefined) return [];
    const held = holds(query, view, 0);
    const shown = highlightsOf(query, view, 0);
    const inPlace = ({ field, start, end }: Highlight) => start < end && end <= textAt(payload, field).length;
    const agrees = explanationOf(query, view, 0).holds === held && (held || shown.length === 0);
    return agrees ? shown.filter((one) => !inPlace(one)) : [query];
  }

  it('is taken as JSON too', () => {
    for (const text of sharedJson<string[]>('security/json-fuzz-values.json')) {
      const payload = parsedOrText(text);
      for (const analyze of [xAnalyzer(), pageAnalyzer()]) {
        expect(analyze(payload)).toBeTypeOf('object');
        expect(analyze({ data: payload, includes: payload })).toBeTypeOf('object');
        const data = { id: '1', text: 'a', entities: payload, geo: payload, referenced_tweets: payload };
        const result = analyze({ id: '1', diff: payload, domain: payload, data, includes: payload });
        expect(isRejection(result) ? result.rejected : result.id).toMatch(/are the most|^1$/);
      }
    }
  });
});

function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
