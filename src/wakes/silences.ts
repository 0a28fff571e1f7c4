/** Which silence covers a match. Pure. */
import { textsFinder } from '../base/text-finder.ts';
import type { Match } from '../domain/match.ts';
import type { Silence } from '../domain/wake.ts';
import { speakerOf, summaryOf, wholeText } from './summary.ts';

type Silenced = Pick<Match, 'platform' | 'platformPostId' | 'ruleId' | 'ruleName' | 'source' | 'storyId' | 'payload'>;

/** Characters of a text that are looked at: pages are long, and an account may have many silences. */
const MOST_READ = 8_192;

type Covering = (match: Silenced) => Silence | undefined;

/** Many requests hold the same matches against the same silences: that is worked out once, as long as somebody has both. */
const known = new WeakMap<readonly Silence[], Covering>();

/** Returns the silence that covers the match and ends last. */
export function silenceOf(silences: readonly Silence[], match: Silenced): Silence | undefined {
  const covering = known.get(silences) ?? coveringOf(silences);
  known.set(silences, covering);
  return covering(match);
}

function coveringOf(silences: readonly Silence[]): Covering {
  const longestFirst = silences.toSorted((one, other) => other.until.getTime() - one.until.getTime()).map(askedBy);
  const textsIn = once(() => textsFinder(longestFirst.flatMap(({ text }) => text ?? [])));
  const answers = new WeakMap<Silenced, { readonly silence: Silence | undefined }>();
  return (match) => {
    const answered = answers.get(match);
    if (answered !== undefined) return answered.silence;
    const texts = once(() => textsIn()(wholeText(match).slice(0, MOST_READ).toLowerCase()));
    const speaker = once(() => nameOf(speakerOf(match, summaryOf(match).url) ?? ''));
    const silence = longestFirst.find((one) => covers(one, match, texts, speaker))?.silence;
    answers.set(match, { silence });
    return silence;
  };
}

/** A silence, with what it asks of texts as they are compared. */
interface Asked {
  readonly silence: Silence;
  readonly author: string | undefined;
  readonly text: string | undefined;
}

const askedBy = (silence: Silence): Asked => ({
  silence,
  author: silence.author === undefined ? undefined : nameOf(silence.author),
  text: silence.text?.toLowerCase(),
});

/** However many silences ask for it, it is worked out once. */
function once<T extends object | string>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

const covers = (
  { silence: { ruleIds, sourceIds, storyId }, author, text }: Asked,
  match: Silenced,
  texts: () => ReadonlySet<string>,
  speaker: () => string,
): boolean =>
  (ruleIds === undefined || ruleIds.includes(match.ruleId)) &&
  (sourceIds === undefined || sourceIds.includes(match.source ?? '')) &&
  (storyId === undefined || storyId === match.storyId) &&
  (author === undefined || author === speaker()) &&
  (text === undefined || texts().has(text));

/** `@Ada` is `ada`, and `www.example.com` is `example.com`. */
const nameOf = (name: string): string => name.toLowerCase().replace(/^(?:@|www\.)/, '');
