/** Which silence covers a match. Pure. */
import type { Match } from '../domain/match.ts';
import type { Silence } from '../domain/silence.ts';
import { speakerOf, summaryOf, wholeText } from './summary.ts';

type Silenced = Pick<Match, 'platform' | 'platformPostId' | 'ruleId' | 'ruleName' | 'source' | 'storyId' | 'payload'>;

/** Of several, the one that holds longest. */
export function silenceOf(silences: readonly Silence[], match: Silenced): Silence | undefined {
  return silences
    .filter((silence) => covers(silence, match))
    .reduce<Silence | undefined>(
      (longest, one) => (longest !== undefined && longest.until >= one.until ? longest : one),
      undefined,
    );
}

const covers = ({ ruleIds, sourceIds, storyId, author, text }: Silence, match: Silenced): boolean =>
  (ruleIds === undefined || ruleIds.includes(match.ruleId)) &&
  (sourceIds === undefined || sourceIds.includes(match.source ?? '')) &&
  (storyId === undefined || storyId === match.storyId) &&
  (author === undefined || nameOf(author) === nameOf(speakerOf(match, summaryOf(match).url) ?? '')) &&
  (text === undefined || wholeText(match).toLowerCase().includes(text.toLowerCase()));

/** `@Ada` is `ada`, and `www.example.com` is `example.com`. */
const nameOf = (name: string): string => name.toLowerCase().replace(/^(?:@|www\.)/, '');
