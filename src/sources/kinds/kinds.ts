/**
 * Every kind of source: how it is configured and how it is created. This table drives the configuration, the command line
 * and the documentation, so a new kind is a file and a row.
 */
import { z } from 'zod';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { DEMO_SOURCE, PUSH_SOURCE } from '../../domain/source.ts';
import type { Source } from '../contract/source.ts';
import { arxiv, arxivOptions } from './arxiv.ts';
import { feeds, feedsOptions } from './feeds.ts';
import { gdelt, gdeltOptions } from './gdelt.ts';
import { github, githubOptions } from './github.ts';
import { hackerNews, hackerNewsOptions } from './hacker-news.ts';
import { jetstream, jetstreamOptions } from './jetstream.ts';
import { lemmy, lemmyOptions } from './lemmy.ts';
import { mastodon, mastodonOptions } from './mastodon.ts';
import { ndjson, ndjsonOptions } from './ndjson.ts';
import { reddit, redditOptions } from './reddit.ts';
import { watch, watchOptions } from './watch.ts';
import { wikipedia, wikipediaOptions } from './wikipedia.ts';
import { youtube, youtubeOptions } from './youtube.ts';

export interface Kind {
  readonly about: string;
  readonly options: z.ZodObject;
  /** The option that the short form sets, as in `feeds:https://example.org/feed`. */
  readonly short: string;
  /** That option is a list: the short form may appear several times. */
  readonly takesMany?: boolean;
  /** It yields posts in X's shape too. */
  readonly hasPosts?: boolean;
  /** Takes the options as `options` has parsed them. */
  create(name: string, options: never): Source;
}

/** Adds the option of every kind that fetches: whether names that resolve to private addresses may be fetched. */
const fetching = (options: z.ZodObject): z.ZodObject => options.extend({ allow_private: z.boolean().default(false) });

export const KINDS: Readonly<Record<string, Kind>> = {
  jetstream: {
    about: 'Bluesky: every public post',
    options: fetching(jetstreamOptions),
    short: 'url',
    hasPosts: true,
    create: jetstream,
  },
  feeds: {
    about: 'RSS, Atom and JSON Feed',
    options: fetching(feedsOptions),
    short: 'urls',
    takesMany: true,
    create: feeds,
  },
  mastodon: {
    about: 'A public or hashtag timeline of a Mastodon server',
    options: fetching(mastodonOptions),
    short: 'url',
    hasPosts: true,
    create: mastodon,
  },
  hackernews: {
    about: 'Hacker News: stories, comments and edits',
    options: fetching(hackerNewsOptions),
    short: 'url',
    create: hackerNews,
  },
  wikipedia: {
    about: 'Edits of Wikipedia and its sister projects',
    options: fetching(wikipediaOptions),
    short: 'url',
    create: wikipedia,
  },
  github: {
    about: 'GitHub: events and releases of repositories, and security advisories',
    options: fetching(githubOptions),
    short: 'repos',
    takesMany: true,
    create: github,
  },
  arxiv: {
    about: 'New papers of arXiv by category',
    options: fetching(arxivOptions),
    short: 'categories',
    takesMany: true,
    create: arxiv,
  },
  youtube: {
    about: 'New videos of YouTube channels',
    options: fetching(youtubeOptions),
    short: 'channels',
    takesMany: true,
    create: youtube,
  },
  reddit: {
    about: 'New posts of subreddits, where Reddit allows it',
    options: fetching(redditOptions),
    short: 'subreddits',
    takesMany: true,
    hasPosts: true,
    create: reddit,
  },
  lemmy: {
    about: 'Posts and comments that a Lemmy server knows',
    options: fetching(lemmyOptions),
    short: 'url',
    hasPosts: true,
    create: lemmy,
  },
  gdelt: {
    about: 'News of the world as the GDELT Project finds it, every 15 minutes',
    options: fetching(gdeltOptions),
    short: 'url',
    create: gdelt,
  },
  watch: {
    about: 'Web pages: text that appears or vanishes',
    options: fetching(watchOptions),
    short: 'urls',
    takesMany: true,
    create: watch,
  },
  ndjson: {
    about: 'Documents and posts from a file or standard input',
    options: ndjsonOptions,
    short: 'file',
    hasPosts: true,
    create: ndjson,
  },
};

/** A configured source; its options are complete and checked. */
export interface SourceConfig {
  readonly name: string;
  readonly kind: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** Which platforms it feeds. */
  readonly platforms: readonly Platform[];
}

/** A problem of a configured source, and its key. */
export interface SourceProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Names of what else brings events. */
const TAKEN_NAMES: ReadonlySet<string> = new Set([DEMO_SOURCE, PUSH_SOURCE, ...PLATFORMS]);

const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** Reads one source: its kind, its name (by default that of the kind) and the options of the kind. */
export function readSource(
  given: Readonly<Record<string, unknown>>,
): SourceConfig | { problems: readonly SourceProblem[] } {
  const { kind: kindName, name = kindName, platform = 'both', ...rest } = given;
  const kind = typeof kindName === 'string' && Object.hasOwn(KINDS, kindName) ? KINDS[kindName] : undefined;
  if (kind === undefined) return problem('kind', `must be one of ${Object.keys(KINDS).join(', ')}`);
  if (typeof name !== 'string' || !NAME.test(name))
    return problem('name', 'must have lower-case letters, digits and hyphens, at most 40 of them');
  if (TAKEN_NAMES.has(name))
    return problem('name', `must not be ${name}: matches say with it where their event came from`);
  const platforms = platformsOf(kind, platform);
  if (platforms === undefined)
    return problem('platform', `must be ${kind.hasPosts ? 'x, firehose or both' : 'firehose'}`);
  const read = kind.options.safeParse(rest, { reportInput: true });
  if (read.success) return { name, kind: kindName as string, options: read.data, platforms };
  return { problems: read.error.issues.flatMap(problemsOf) };
}

/**
 * A source whose options were checked when they were stored, and are not read again: that takes long, and an older program may have
 * had other limits. Undefined where there is no such kind any more.
 */
export function keptConfig(
  name: string,
  kind: string,
  options: Readonly<Record<string, unknown>>,
): SourceConfig | undefined {
  if (!Object.hasOwn(KINDS, kind)) return undefined;
  const usual = Object.entries(KINDS[kind]!.options.shape).flatMap(([option, shape]) =>
    shape instanceof z.ZodDefault ? [[option, shape.def.defaultValue]] : [],
  );
  return { name, kind, options: { ...Object.fromEntries(usual), ...options }, platforms: PLATFORMS };
}

const problem = (key: string, message: string): { problems: SourceProblem[] } => ({
  problems: [{ path: [key], message }],
});

/** An unknown key is reported at its own place. */
function problemsOf(issue: z.core.$ZodIssue): SourceProblem[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...issue.path, key], message: 'is not an option of this kind' }));
  return [{ path: issue.path, message: wordsFor(issue) }];
}

/** Both by default, where the kind yields posts. */
function platformsOf({ hasPosts = false }: Kind, named: unknown): readonly Platform[] | undefined {
  if (named === 'both') return hasPosts ? PLATFORMS : ['firehose'];
  if (named === 'firehose') return ['firehose'];
  return named === 'x' && hasPosts ? ['x'] : undefined;
}

/** A problem in words for the author of the file; a schema with a message of its own keeps it. */
function wordsFor(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be of the type ${issue.expected}`;
    case 'too_small':
      return `must be at least ${issue.minimum}`;
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    default:
      return issue.message.replace(/^./, (letter) => letter.toLowerCase());
  }
}

export const createSource = ({ name, kind, options }: SourceConfig): Source =>
  KINDS[kind]!.create(name, options as never);

/** Whether the operator lets this source reach private addresses through names. */
export const allowsPrivate = ({ options }: SourceConfig): boolean => options['allow_private'] === true;

/** Reads the short form, such as `jetstream@x,feeds:https://example.org/feed`, as if it stood in a file. */
export function readShortForm(text: string): Record<string, unknown>[] {
  const sources = new Map<string, Record<string, unknown>>();
  for (const part of text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')) {
    const [, kind = '', platform, value] = /^([^:@]*)(?:@([^:]*))?(?::(.*))?$/.exec(part) ?? [];
    const { short, takesMany = false } = Object.hasOwn(KINDS, kind) ? KINDS[kind]! : { short: 'url' };
    const source = sources.get(kind) ?? { kind };
    sources.set(kind, source);
    if (platform !== undefined) source['platform'] = platform;
    if (value === undefined) continue;
    source[short] = takesMany ? [...((source[short] as string[] | undefined) ?? []), value] : value;
  }
  return [...sources.values()];
}
