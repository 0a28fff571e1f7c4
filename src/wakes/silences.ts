/** Which silence covers a match. Pure. */
import type { Match } from '../domain/match.ts';
import type { Silence } from '../domain/wake.ts';
import { speakerOf, summaryOf, wholeText } from './summary.ts';

type Silenced = Pick<Match, 'platform' | 'platformPostId' | 'ruleId' | 'ruleName' | 'source' | 'storyId' | 'payload'>;

/** Characters of a text that are looked at: pages are long, and an account may have many silences. */
const MOST_READ = 8_192;

/** Returns the silence that covers the match and ends last. */
export function silenceOf(silences: readonly Silence[], match: Silenced): Silence | undefined {
  const read = once(() => wholeText(match).slice(0, MOST_READ).toLowerCase());
  const speaker = once(() => nameOf(speakerOf(match, summaryOf(match).url) ?? ''));
  return silences
    .filter((silence) => covers(silence, match, read, speaker))
    .reduce<Silence | undefined>(
      (longest, one) => (longest !== undefined && longest.until >= one.until ? longest : one),
      undefined,
    );
}

/** However many silences ask for it, it is worked out for a match once. */
function once(make: () => string): () => string {
  let made: string | undefined;
  return () => (made ??= make());
}

const covers = (
  { ruleIds, sourceIds, storyId, author, text }: Silence,
  match: Silenced,
  read: () => string,
  speaker: () => string,
): boolean =>
  (ruleIds === undefined || ruleIds.includes(match.ruleId)) &&
  (sourceIds === undefined || sourceIds.includes(match.source ?? '')) &&
  (storyId === undefined || storyId === match.storyId) &&
  (author === undefined || nameOf(author) === speaker()) &&
  (text === undefined || read().includes(text.toLowerCase()));

/** `@Ada` is `ada`, and `www.example.com` is `example.com`. */
const nameOf = (name: string): string => name.toLowerCase().replace(/^(?:@|www\.)/, '');
