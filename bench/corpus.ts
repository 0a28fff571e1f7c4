/**
 * The events of a benchmark, in the shape their platform delivers them: real posts and pages where the shared data is
 * there, made-up ones of the same length and spread of words where it is not.
 */
import type { Platform } from '../src/domain/platform.ts';
import type { Analyzer } from '../src/engine/events/event-view.ts';
import { pageAnalyzer } from '../src/engine/events/page-event.ts';
import { xAnalyzer } from '../src/engine/events/x-event.ts';
import { extractEntities } from '../src/rules/x/entities.ts';
import { hasSharedData, sharedLines } from '../test/stages/shared-data.ts';
import { inventWord, logUniform, type Random, randomFrom } from './random.ts';

interface ShortText {
  readonly id: string;
  readonly text: string;
  readonly lang?: string;
  readonly created_at?: string;
  readonly username?: string;
}

export const analyzerFor = (platform: Platform): Analyzer => (platform === 'x' ? xAnalyzer() : pageAnalyzer());

/** The events, and a word on where they come from. */
export function readCorpus(platform: Platform): { name: string; payloads: unknown[] } {
  if (!hasSharedData) return { name: 'made-up', payloads: platform === 'x' ? inventPosts() : inventPages() };
  if (platform === 'firehose') return { name: 'pages', payloads: shuffled(sharedLines('pages/pages.ndjson.gz')) };
  const texts = sharedLines<ShortText>('posts/short-texts.ndjson.gz');
  return { name: 'short-texts', payloads: shuffled(texts).map(toPost) };
}

/** The files stand source by source and language by language; a stream does not come like that. */
function shuffled<T>(items: readonly T[]): T[] {
  const random = randomFrom(3);
  const mixed = [...items];
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [mixed[at], mixed[other]] = [mixed[other]!, mixed[at]!];
  }
  return mixed;
}

function toPost({ id, text, lang, created_at, username }: ShortText): unknown {
  const user = username === undefined ? [] : [{ id: `u-${username}`, username, name: username }];
  return {
    data: {
      id,
      text,
      author_id: user[0]?.id ?? 'u-0',
      entities: extractEntities(text),
      ...(lang === undefined ? {} : { lang }),
      ...(created_at === undefined ? {} : { created_at }),
    },
    includes: { users: user },
  };
}

const VOCABULARY = 40_000;

/** Texts whose words are as unevenly spread as in a real language. */
function inventText(random: Random, vocabulary: readonly string[], length: number): string {
  const words = Array.from({ length }, () => vocabulary[logUniform(random, 1, VOCABULARY) - 1]!);
  return `${words.join(' ')}.`;
}

const inventVocabulary = (random: Random): string[] =>
  Array.from({ length: VOCABULARY }, (_, rank) =>
    inventWord(random, 1 + Math.min(3, Math.floor(Math.log10(rank + 1)))),
  );

function inventPosts(): unknown[] {
  const random = randomFrom(1);
  const vocabulary = inventVocabulary(random);
  return Array.from({ length: 20_000 }, (_, index) =>
    toPost({ id: `post-${index}`, text: inventText(random, vocabulary, 8 + Math.floor(random() * 16)), lang: 'en' }),
  );
}

function inventPages(): unknown[] {
  const random = randomFrom(2);
  const vocabulary = inventVocabulary(random);
  return Array.from({ length: 2_000 }, (_, index) => ({
    id: `page-${index}`,
    title: inventText(random, vocabulary, 8),
    language: 'en',
    diff: { chunks: [{ typ: 'ins', text: inventText(random, vocabulary, 200 + Math.floor(random() * 200)) }] },
  }));
}
