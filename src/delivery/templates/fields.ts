/** The fields that templates can name, as a flat set. Names stay; others may be added. */
import { textIn } from '../../base/json.ts';
import type { Match } from '../../domain/match.ts';
import type { Digest, DigestStory } from '../../domain/wake.ts';
import { shownText } from '../../signal/shown-text.ts';
import { ruleNames } from '../../wakes/digest.ts';
import { cutText, speakerOf, summaryOf } from '../../wakes/summary.ts';

/** An address of an event, or of this server: the one thing that a template can make a link of. */
export class MessageLink {
  readonly #address: string;

  constructor(address: string) {
    this.#address = address;
  }

  toString(): string {
    return this.#address;
  }
}

type Value = string | number | boolean | Date | MessageLink;
export type MessageFields = Readonly<Record<string, Value | readonly Readonly<Record<string, Value>>[]>>;

/** Fields of a match, with what the guide says of them. */
export const MATCH_FIELDS = {
  rule: 'The name of the rule.',
  title: 'The title of a page. Posts have none.',
  text: 'The text of a post, or what is new on a page: 280 characters at most.',
  full_text: 'The same with 2,000 characters at most.',
  author: 'Who wrote a post, such as @ada.',
  site: 'The host of the address, such as news.example.',
  url: 'The address of the post or page. It may be the target of a link.',
  console_url: 'The page of the console where the match is rated. Empty without SLUICE_PUBLIC_URL.',
  time: 'When the match was stored. Without the filter `date` it is written in UTC.',
  platform: '`x` or `firehose`.',
  source: 'What brought it: the name of a source, or `push`.',
  relevance: 'From 0 to 1. Empty where there is nothing to go by.',
  relevance_reason: 'Why, in words.',
  because: 'Why it wakes, where several matches decided it: "5 authors in 7 minutes".',
  story_first: 'Whether it is the first match of its story.',
  story_id: 'The same for all matches of a story.',
  match_id: 'The id of the match.',
  rule_id: 'The id of the rule.',
  demo: 'Whether the demo feed invented it.',
} as const;

/** Fields of a digest. */
export const DIGEST_FIELDS = {
  digest: 'True in a digest. Fields of a match are empty there.',
  match_count: 'How many matches were held.',
  story_count: 'In how many stories.',
  since: 'When the first of them was stored.',
  until: 'When the last of them was stored.',
  stories: 'The newest stories, for `{% for story in stories %}`.',
} as const;

/** Fields of each of its stories. */
export const STORY_FIELDS = {
  title: 'The title of the story.',
  size: 'How many of its matches were held.',
  url: 'The address of its first match. It may be the target of a link.',
  authors: 'Authors and sites, with commas between them.',
  rules: 'The names of the rules, with commas between them.',
  first_time: 'When its first held match was stored.',
  last_time: 'When its last held match was stored.',
} as const;

const LONGEST_TEXT = 2_000;
const LONGEST_NAME = 200;

interface Surroundings {
  readonly rateUrl?: string | undefined;
  readonly because?: readonly string[];
}

type Told = Omit<Match, 'highlights'>;

export function fieldsOfMatch(match: Told, { rateUrl, because = [] }: Surroundings = {}): MessageFields {
  const { rule, title, text, url } = summaryOf(match);
  const speaker = speakerOf(match, url) ?? '';
  const site = url === undefined ? '' : (speakerOf({ platform: 'firehose', payload: {} }, url) ?? '');
  return {
    rule,
    title,
    text,
    full_text: cutText(fullText(match), LONGEST_TEXT),
    author: match.platform === 'x' ? speaker : cutText(textIn(match.payload['author']) ?? '', LONGEST_NAME),
    site,
    url: linkTo(url),
    console_url: linkTo(rateUrl),
    time: match.createdAt,
    platform: match.platform,
    source: match.sourceName ?? match.source ?? '',
    relevance: match.relevance ?? '',
    relevance_reason: match.relevanceReason ?? '',
    because: because.join('; '),
    story_first: match.storyFirst ?? false,
    story_id: match.storyId ?? '',
    match_id: match.id,
    rule_id: match.ruleId,
    demo: match.source === 'demo',
  };
}

/** A page has its title in a field of its own. */
const fullText = ({ platform, payload }: Told): string =>
  platform === 'x' ? shownText('x', payload) : shownText('firehose', { ...payload, title: undefined });

const linkTo = (address: string | undefined): Value => (address === undefined ? '' : new MessageLink(address));

export const fieldsOfDigest = (digest: Digest): MessageFields => ({
  digest: true,
  match_count: digest.match_count,
  story_count: digest.story_count,
  since: new Date(digest.since),
  until: new Date(digest.until),
  stories: digest.stories.map(storyFields),
});

const storyFields = (story: DigestStory): Readonly<Record<string, Value>> => ({
  title: story.title,
  size: story.size,
  url: linkTo(story.url ?? undefined),
  authors: story.by.join(', '),
  rules: ruleNames(story),
  first_time: new Date(story.first_at),
  last_time: new Date(story.last_at),
});
