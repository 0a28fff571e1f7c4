import type { Platform } from './platform.ts';
import type { PlatformRule } from './rule.ts';

/** An event satisfied a rule. Each (rule, platform, post) is one match, however often the event arrives. This is what a store holds of it. */
export interface StoredMatch {
  readonly id: string;
  readonly createdAt: Date;
  /** Its place in the order of matches. It grows with every stored match. */
  readonly position: number;
  readonly platform: Platform;
  readonly platformPostId: string;
  readonly ruleId: string;
  readonly ruleName: string;
  readonly ruleVersion: number;
  readonly payload: Payload;
  /** The payload as JSON text, if the store has it: then an answer can be written without parsing it. */
  readonly json?: string;
  /** They are undefined when they are found at reading, by `matchedBy`. */
  readonly highlights?: readonly Highlight[] | undefined;
  /** The text that matched, of a match whose highlights are found at reading. */
  readonly matchedBy?: Pick<PlatformRule, 'value' | 'flags'> | undefined;
  /** The id of the same rule's match of an earlier version of the post. */
  readonly editOf?: string | undefined;
  /** The source of its event. It is undefined for a match that was stored before sources were noted. */
  readonly source?: string | undefined;
  /** The name of the source, where an account has added it. */
  readonly sourceName?: string | undefined;
  /** The story of its event. It is undefined for a match that was stored before stories were told apart. */
  readonly storyId?: string | undefined;
  /** Whether it is the first match of its story. */
  readonly storyFirst?: boolean | undefined;
  readonly rating?: Rating | undefined;
  /** The word of the judge, where it was asked. */
  readonly judgement?: MatchJudgement | undefined;
  /** Which state of the rule's ratings and intent its relevance rests on; 0 when there is neither. */
  readonly relevanceVersion?: number;
}

/** A match as it is given out. The reader of the service makes it of a stored one. */
export interface Match extends StoredMatch {
  readonly highlights: readonly Highlight[];
  /** How likely it is relevant, 0 to 1. Undefined when there is nothing to go by. */
  readonly relevance?: number | undefined;
  /** The basis of the relevance, and the reason for it, in our words. */
  readonly relevanceBasis?: string | undefined;
  readonly relevanceReason?: string | undefined;
}

/** The upstream's object, unchanged. */
export type Payload = Readonly<Record<string, unknown>>;

/** A span that shows why a rule matched: a path into the payload and UTF-16 offsets into the string found there. */
export interface Highlight {
  readonly field: string;
  readonly start: number;
  readonly end: number;
}

/** One function for all matches, by which they keep one shape: an object with a getter of its own takes six times as long to make. */
const PARSED = {
  enumerable: true,
  get(this: { readonly json: string }): Payload {
    return JSON.parse(this.json);
  },
};

/** Adds the payload, which is parsed where it is used: most lists pass its text on unread. */
export function withPayload<Fields extends { readonly json: string }>(fields: Fields): Fields & { payload: Payload } {
  Object.defineProperty(fields, 'payload', PARSED);
  return fields as Fields & { payload: Payload };
}

/** Ratings that people give to a match. */
export const RATINGS = ['relevant', 'irrelevant'] as const;
export type Rating = (typeof RATINGS)[number];

/** The answer of the operator's model about a match whose relevance is unsure, and the limits of spending on it. */
export interface MatchJudgement {
  readonly relevant: boolean;
  /** How sure the model says it is, 0 to 1. */
  readonly confidence?: number | undefined;
  /** The model has read what a stranger wrote, so its words count as a stranger's. They have no markup and no link. */
  readonly reason: string;
  readonly model: string;
  readonly at: Date;
}

/** Money is in millionths of the currency. */
export interface JudgeSpending {
  readonly calls: number;
  readonly money: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** No more than `most` calls, or so much money, in a day or a month of UTC. */
export interface JudgeLimit {
  readonly what: 'calls' | 'money';
  readonly most: number;
  readonly per: 'day' | 'month';
}

/** The story that several matches of an account tell, on any platform and by any source. */
export interface StoredStory {
  readonly id: string;
  /** How many matches it has. */
  readonly size: number;
  /** The match that began it. */
  readonly began: StoredMatch;
  /** The first of the matches that are asked about: of one rule, or on one platform. */
  readonly first: StoredMatch;
  readonly lastAt: Date;
  readonly platforms: readonly Platform[];
  readonly sources: readonly string[];
  readonly ruleIds: readonly string[];
}

/** A story as it is given out. */
export interface Story extends StoredStory {
  readonly first: Match;
}

/** A post or a page as it enters the pipeline. */
export interface Event {
  readonly platform: Platform;
  readonly postId: string;
  readonly payload: Payload;
  /** The payload as JSON on one line, if the caller still has that text: then it need not be serialised again. */
  readonly json?: string;
  /** The account whose key pushed the event: only its rules see the event. Undefined: the rules of all accounts do. */
  readonly accountId: string | undefined;
  /** The origin of the event: a source by its name, `push`, `demo`, or an upstream by its platform. */
  readonly source?: string | undefined;
}

/** The type of a column of an export. `json`: the value as JSON text. `time`: to the millisecond, UTC. */
type ColumnType = 'text' | 'json' | 'time' | 'integer' | 'number' | 'boolean';

interface ExportColumn {
  readonly name: string;
  readonly type: ColumnType;
  /** Without it every row has a value. */
  readonly optional?: true;
}

/** The columns of exported matches, in this order. Each is the field of that name in a listed match. New ones come last. */
export const EXPORT_COLUMNS = [
  { name: 'id', type: 'text' },
  { name: 'created_at', type: 'time' },
  { name: 'platform', type: 'text' },
  { name: 'platform_post_id', type: 'text' },
  { name: 'rule_id', type: 'text' },
  { name: 'rule_name', type: 'text' },
  { name: 'rule_version', type: 'integer' },
  { name: 'payload', type: 'json' },
  { name: 'highlights', type: 'json' },
  { name: 'edit_of', type: 'text', optional: true },
  { name: 'event_id', type: 'text' },
  { name: 'source', type: 'text', optional: true },
  { name: 'story_id', type: 'text', optional: true },
  { name: 'story_first', type: 'boolean' },
  { name: 'demo', type: 'boolean', optional: true },
  { name: 'relevance', type: 'number', optional: true },
  { name: 'rating', type: 'text', optional: true },
  { name: 'judged', type: 'json', optional: true },
] as const satisfies readonly ExportColumn[];
