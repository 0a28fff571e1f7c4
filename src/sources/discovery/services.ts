/** The public services that have a kind of their own, or feeds that their pages do not tell: what an address of theirs is. */
import { decodedPart, parseUrl } from '../../base/parse-url.ts';
import type { PageFacts } from '../watch/page-facts.ts';

/** A source that may fit; it is tried before it is offered. */
export interface SourceDraft {
  readonly kind: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** Found out from the source itself when it is left out. */
  readonly name?: string;
  readonly about: string;
  /** It is known to be there although it may refuse to be tried; others are dropped when they cannot be read. */
  readonly isCertain?: boolean;
  /** It cannot be tried: it is a stream. */
  readonly isStream?: boolean;
}

interface Asked {
  /** As it was pasted, and where it led in the end. */
  readonly url: URL;
  readonly parts: readonly string[];
  readonly facts: PageFacts | undefined;
}

type Service = (asked: Asked) => readonly SourceDraft[] | undefined;

const feed = (url: string, name: string, about: string): SourceDraft => ({
  kind: 'feeds',
  options: { urls: [url] },
  name,
  about,
});

const isHost = ({ hostname }: URL, ...names: readonly string[]): boolean =>
  names.some((name) => hostname === name || hostname.endsWith(`.${name}`));

const youtube: Service = ({ url, parts, facts }) => {
  if (!isHost(url, 'youtube.com', 'youtu.be', 'youtube-nocookie.com')) return undefined;
  const list = url.searchParams.get('list') ?? url.searchParams.get('playlist_id');
  const named = url.searchParams.get('channel_id') ?? (parts[0] === 'channel' ? parts[1] : undefined);
  const alternate = facts?.feeds.map((one) => parseUrl(one.url)?.searchParams.get('channel_id')).find(Boolean);
  const canonical = /\/channel\/(UC[\w-]{22})/.exec(facts?.canonical ?? '')?.[1];
  const channel =
    named ?? alternate ?? canonical ?? facts?.meta['channelid'] ?? facts?.meta['identifier'] ?? facts?.channel;
  const isPlaylist = list !== null && /^(?:PL|UU|FL|OL)[\w-]{11,60}$/.test(list);
  const title = facts?.title.replace(/ - YouTube$/, '');
  const videos = (id: string, about: string, name: string | undefined): SourceDraft => ({
    kind: 'youtube',
    options: { channels: [id] },
    ...(name && { name }),
    about,
  });
  return [
    ...(isPlaylist
      ? [videos(list, 'New videos of this YouTube playlist', parts[0] === 'playlist' ? title : undefined)]
      : []),
    ...(channel && /^UC[\w-]{22}$/.test(channel)
      ? [videos(channel, 'New videos of this YouTube channel', parts[0]?.startsWith('@') ? title : undefined)]
      : []),
  ];
};

const reddit: Service = ({ url, parts }) => {
  if (!isHost(url, 'reddit.com', 'redd.it')) return undefined;
  const [place, name = ''] = parts;
  if ((place === 'user' || place === 'u') && /^[\w-]{2,30}$/.test(name))
    return [feed(`https://www.reddit.com/user/${name}/.rss`, `u/${name}`, 'Posts and comments of this Reddit user')];
  const subreddits = name.split('+').filter((one) => /^\w{2,21}$/.test(one));
  if (place !== 'r' || subreddits.length === 0) return undefined;
  const about = 'New posts of this subreddit';
  return [{ kind: 'reddit', options: { subreddits }, name: `r/${subreddits.join('+')}`, about, isCertain: true }];
};

/** First parts of paths at GitHub that are no accounts. */
const GITHUB_PAGES = new Set(
  'about apps blog collections contact customer-stories enterprise explore features login marketplace new notifications orgs organizations pricing search security settings signup site sponsors stars team topics trending users'.split(
    ' ',
  ),
);

const github: Service = ({ url, parts: [owner, name, page] }) => {
  if (url.hostname !== 'github.com' && url.hostname !== 'www.github.com') return undefined;
  if (owner === 'advisories')
    return [
      {
        kind: 'github',
        options: { repos: [], advisories: true },
        name: 'GitHub advisories',
        about: 'Security advisories of all packages',
      },
    ];
  if (owner === undefined || GITHUB_PAGES.has(owner) || !/^[\w-]{1,39}$/.test(owner)) return undefined;
  if (name === undefined)
    return [feed(`https://github.com/${owner}.atom`, owner, 'What this GitHub account does in public')];
  const repo = `${owner}/${name.replace(/\.git$/, '')}`;
  if (page === 'commits' || page === 'wiki') return undefined;
  const only = page === 'releases' || page === 'tags' ? { events: false } : {};
  const about =
    page === 'releases' || page === 'tags'
      ? 'Releases of this repository'
      : 'Issues, pull requests, pushes and releases of this repository';
  return [{ kind: 'github', options: { repos: [repo], ...only }, name: repo, about, isCertain: true }];
};

const CATEGORY = /^[a-z-]{2,20}(?:\.[A-Za-z-]{2,20})?$/;

const arxiv: Service = ({ url, parts: [place, what = ''], facts }) => {
  if (!isHost(url, 'arxiv.org')) return undefined;
  const subject = facts?.parts
    .map(({ text }) => /\(([a-z-]{2,20}(?:\.[A-Za-z-]{2,20})?)\)/.exec(text)?.[1])
    .find(Boolean);
  const asked = /\bcat:([a-z-]{2,20}(?:\.[A-Za-z-]{2,20})?)/.exec(url.searchParams.get('search_query') ?? '')?.[1];
  const given = place === 'abs' || place === 'pdf' || place === 'html' ? subject : (asked ?? what);
  const categories = (given ?? '').split('+').filter((one) => CATEGORY.test(one));
  const isList = ['list', 'archive', 'rss', 'atom', 'abs', 'pdf', 'html', 'api'].includes(place ?? '');
  if (!isList || categories.length === 0) return undefined;
  return [
    {
      kind: 'arxiv',
      options: { categories },
      name: `arXiv ${categories.join(', ')}`,
      about: 'New papers of this category',
      isCertain: true,
    },
  ];
};

const hackerNews: Service = ({ url, parts: [page] }) => {
  if (url.hostname !== 'news.ycombinator.com') return undefined;
  const [only, about] =
    page === 'newcomments'
      ? [{ stories: false }, 'New comments of Hacker News']
      : page === 'newest' || page === 'show' || page === 'ask'
        ? [{ comments: false }, 'New stories of Hacker News']
        : [{}, 'New stories and comments of Hacker News'];
  return [{ kind: 'hackernews', options: only, name: 'Hacker News', about, isCertain: true }];
};

const lemmy: Service = ({ url, parts: [place, name = ''], facts }) => {
  const isHere =
    facts?.isLemmy === true || facts?.feeds.some((one) => /\/feeds\/(?:c\/|all\.xml|local\.xml)/.test(one.url));
  if (isHere !== true) return undefined;
  const community = place === 'c' && /^[\w.-]{1,100}(?:@[\w.-]{1,200})?$/.test(name) ? name : undefined;
  if (place !== undefined && community === undefined) return undefined;
  const about =
    community === undefined
      ? 'Posts and comments that this Lemmy server knows'
      : 'Posts and comments of this Lemmy community';
  const communities = community === undefined ? {} : { communities: [community] };
  return [{ kind: 'lemmy', options: { url: url.origin, ...communities }, name: community ?? url.hostname, about }];
};

const bluesky: Service = ({ url, parts: [place, handle = ''], facts }) => {
  if (url.hostname !== 'bsky.app' || place !== 'profile' || !/^[\w.:%-]{3,253}$/.test(handle)) return undefined;
  const did = [handle, ...(facts?.feeds.map((one) => one.url) ?? [])]
    .map((text) => /did:[a-z]+:[\w.-]+/.exec(text)?.[0])
    .find(Boolean);
  const name = handle.startsWith('did:') ? (facts?.title ?? handle) : `@${handle}`;
  return [
    { ...feed(`https://bsky.app/profile/${handle}/rss`, name, 'Posts of this Bluesky account'), isCertain: true },
    ...(did === undefined
      ? []
      : [
          {
            kind: 'jetstream',
            options: { dids: [did] },
            name,
            about: 'Posts and replies of this Bluesky account as they are written',
            isStream: true,
          },
        ]),
  ];
};

/** Accounts and hashtags have the same paths on every server. Streams need a token nearly everywhere, and feeds do not. */
const mastodon: Service = ({ url, parts: [place = '', tag = ''], facts }) => {
  const isHere =
    /mastodon|glitch|hometown/i.test(facts?.meta['generator'] ?? '') || facts?.meta['mastodon-version'] !== undefined;
  const said = facts?.meta['og:site_name'] ?? '';
  if (
    place === 'tags' &&
    tag !== '' &&
    (isHere || /mastodon/i.test(said) || facts?.feeds.some((one) => one.url.endsWith('.rss')))
  ) {
    const hashtag = decodedPart(tag);
    return [
      feed(
        `${url.origin}/tags/${encodeURIComponent(hashtag)}.rss`,
        `#${hashtag} on ${url.hostname}`,
        'Posts with this hashtag',
      ),
      {
        kind: 'mastodon',
        options: { url: url.origin, hashtag },
        name: `#${hashtag} on ${url.hostname}`,
        about: 'Posts with this hashtag as they are written; most servers want a token for it',
        isStream: true,
      },
    ];
  }
  const [, user, server = url.host] =
    /^@([\w.-]{1,100})(?:@([\w.:-]{3,253}))?$/.exec(place === 'users' ? `@${tag}` : place) ?? [];
  if (user === undefined) return undefined;
  return [feed(`https://${server}/@${user}.rss`, `@${user}@${server}`, 'Posts of this account')];
};

/** Wikipedia offers the feed of all changes with each page. */
const wikipedia: Service = ({ url, parts: [place, title = ''] }) => {
  if (!isHost(url, 'wikipedia.org', 'wiktionary.org', 'wikinews.org', 'wikivoyage.org')) return undefined;
  const host = url.hostname.replace('.m.', '.');
  if (place === 'wiki' && title !== '' && title !== 'Main_Page' && !title.startsWith('Special:'))
    return [
      feed(
        `https://${host}/w/index.php?title=${encodeURIComponent(decodedPart(title))}&action=history&feed=atom`,
        decodedPart(title).replaceAll('_', ' '),
        'Changes of this article',
      ),
    ];
  return [
    {
      kind: 'wikipedia',
      options: { wikis: [host] },
      name: host,
      about: 'All changes of this wiki as they happen',
      isStream: true,
    },
  ];
};

const OTHERS: readonly (readonly [RegExp, (match: RegExpExecArray) => SourceDraft])[] = [
  [
    /^https:\/\/medium\.com\/(@?[\w.-]{1,100})(?:\/|$)/,
    ([, who]) => feed(`https://medium.com/feed/${who}`, who!, 'Stories at Medium'),
  ],
  [
    /^https:\/\/stackoverflow\.com\/questions\/tagged\/([\w.#+%-]{1,100})/,
    ([, tag]) =>
      feed(
        `https://stackoverflow.com/feeds/tag/${tag}`,
        `Stack Overflow: ${decodedPart(tag!)}`,
        'New questions with this tag',
      ),
  ],
];

const others: Service = ({ url }) => {
  const drafts = OTHERS.flatMap(([address, draftOf]) => {
    const match = address.exec(url.href);
    return match === null ? [] : [draftOf(match)];
  });
  return drafts.length === 0 ? undefined : drafts;
};

const SERVICES: readonly Service[] = [
  youtube,
  reddit,
  github,
  arxiv,
  hackerNews,
  bluesky,
  wikipedia,
  others,
  lemmy,
  mastodon,
];

/** The drafts of the first service that knows the address; none for a page of nobody's. */
export function draftsOfService(url: URL, facts: PageFacts | undefined): readonly SourceDraft[] {
  const asked = { url, facts, parts: url.pathname.split('/').filter((part) => part !== '') };
  for (const service of SERVICES) {
    const drafts = service(asked);
    if (drafts !== undefined) return drafts;
  }
  return [];
}
