/** Pages of the public services, as they answer a program that is not signed in. */
import { alternate, atom, feedAt, html, type Recorded, rss } from './recorded.ts';

const CHANNEL = 'UC_x5XG1OV2P6uZZ5FSM9Ttw';
const OTHER = 'UCabcdefghijklmnopqrstuv';
const LIST = 'PLIivdWyY5sqJxnwJhe3etaK7utrBiPBQ2';
const videos = (query: string) => ({
  [`https://www.youtube.com/feeds/videos.xml?${query}`]: atom('Videos', 'https://www.youtube.com/watch'),
});
const channelFeed = videos(`channel_id=${CHANNEL}`);
const channel = { kind: 'youtube', options: { channels: [CHANNEL] } };
const playlist = { kind: 'youtube', options: { channels: [LIST] } };
const channelPage = html(
  `<title>Coast - YouTube</title><link rel="canonical" href="https://www.youtube.com/channel/${CHANNEL}">${alternate(`https://www.youtube.com/feeds/videos.xml?channel_id=${CHANNEL}`, 'RSS')}`,
  '<div id="player"></div>',
);
const videoPage = html(
  '<title>Waves - YouTube</title>',
  `<div id="watch7-content"><meta itemprop="name" content="Waves"><meta itemprop="channelId" content="${CHANNEL}"></div><script>var ytInitialPlayerResponse = {"videoDetails":{"videoId":"abcdefghijk","channelId":"${CHANNEL}"},"related":[{"channelId":"${OTHER}"}]};</script>`,
);
const scriptedPage = html(
  '<title>Waves - YouTube</title>',
  `<script>var ytInitialData = {"metadata":{"channelMetadataRenderer":{"externalId":"${CHANNEL}","title":"Coast"}},"more":{"channelId":"${OTHER}"}};</script>`,
);

const youtube: Recorded[] = [
  {
    about: 'a channel by its id',
    paste: `https://www.youtube.com/channel/${CHANNEL}`,
    answers: { ...channelFeed },
    first: channel,
  },
  {
    about: 'a channel by its handle',
    paste: 'https://www.youtube.com/@coast',
    answers: { 'https://www.youtube.com/@coast': channelPage, ...channelFeed },
    first: channel,
  },
  {
    about: 'the videos of a handle, by scripts alone',
    paste: 'youtube.com/@coast/videos',
    answers: {
      'https://youtube.com/@coast/videos': { to: 'https://www.youtube.com/@coast/videos' },
      'https://www.youtube.com/@coast/videos': scriptedPage,
      ...channelFeed,
    },
    first: channel,
  },
  {
    about: 'an old name of a channel',
    paste: 'https://www.youtube.com/user/coastfilms',
    answers: { 'https://www.youtube.com/user/coastfilms': channelPage, ...channelFeed },
    first: channel,
  },
  {
    about: 'a chosen name of a channel',
    paste: 'https://www.youtube.com/c/CoastFilms',
    answers: { 'https://www.youtube.com/c/CoastFilms': channelPage, ...channelFeed },
    first: channel,
  },
  {
    about: 'a video',
    paste: 'https://www.youtube.com/watch?v=abcdefghijk',
    answers: { 'https://www.youtube.com/watch?v=abcdefghijk': videoPage, ...channelFeed },
    first: channel,
  },
  {
    about: 'a short link to a video',
    paste: 'https://youtu.be/abcdefghijk?si=x',
    answers: {
      'https://youtu.be/abcdefghijk?si=x': { to: 'https://www.youtube.com/watch?v=abcdefghijk&feature=youtu.be' },
      'https://www.youtube.com/watch?v=abcdefghijk&feature=youtu.be': videoPage,
      ...channelFeed,
    },
    first: channel,
  },
  {
    about: 'a short film',
    paste: 'https://www.youtube.com/shorts/abcdefghijk',
    answers: { 'https://www.youtube.com/shorts/abcdefghijk': scriptedPage, ...channelFeed },
    first: channel,
  },
  {
    about: 'a phone page of a channel',
    paste: `https://m.youtube.com/channel/${CHANNEL}/videos`,
    answers: { ...channelFeed },
    first: channel,
  },
  {
    about: 'a playlist',
    paste: `https://www.youtube.com/playlist?list=${LIST}`,
    answers: {
      [`https://www.youtube.com/playlist?list=${LIST}`]: html('<title>Storms - YouTube</title>'),
      ...videos(`playlist_id=${LIST}`),
    },
    first: playlist,
  },
  {
    about: 'a video within a playlist',
    paste: `https://www.youtube.com/watch?v=abcdefghijk&list=${LIST}`,
    answers: {
      [`https://www.youtube.com/watch?v=abcdefghijk&list=${LIST}`]: videoPage,
      ...videos(`playlist_id=${LIST}`),
      ...channelFeed,
    },
    first: playlist,
  },
];

const mastodonPage = (head: string) =>
  html(
    `<title>Ada (@ada@social.example) - Mastodon</title><meta content='Mastodon' property='og:site_name'>${head}`,
    "<div class='app-holder' id='mastodon'></div><noscript>To use the Mastodon web application, please enable JavaScript.</noscript>",
  );
const accountHead = `<link href='https://social.example/@ada.rss' rel='alternate' type='application/rss+xml'><link href='https://social.example/users/ada' rel='alternate' type='application/activity+json'>`;
const accountFeed = { 'https://social.example/@ada.rss': rss('Ada', 'https://social.example/@ada') };
const account = feedAt('https://social.example/@ada.rss');

const fediverse: Recorded[] = [
  {
    about: 'an account of Mastodon',
    paste: 'https://social.example/@ada',
    answers: { 'https://social.example/@ada': mastodonPage(accountHead), ...accountFeed },
    first: account,
  },
  {
    about: 'an account as people write it',
    paste: '@ada@social.example',
    answers: { 'https://social.example/@ada': mastodonPage(''), ...accountFeed },
    first: account,
  },
  {
    about: 'an account seen from another server',
    paste: 'https://other.example/@ada@social.example',
    answers: { 'https://other.example/@ada@social.example': mastodonPage(''), ...accountFeed },
    first: account,
  },
  {
    about: 'one post of an account',
    paste: 'https://social.example/@ada/113000000000000001',
    answers: { 'https://social.example/@ada/113000000000000001': mastodonPage(''), ...accountFeed },
    first: account,
  },
  {
    about: 'a hashtag of Mastodon',
    paste: 'https://social.example/tags/volcano',
    answers: {
      'https://social.example/tags/volcano': mastodonPage(''),
      'https://social.example/tags/volcano.rss': rss('#volcano', 'https://social.example/tags/volcano'),
    },
    first: feedAt('https://social.example/tags/volcano.rss'),
  },
  {
    about: 'an account of Pixelfed',
    paste: 'https://photos.example/ada',
    answers: {
      'https://photos.example/ada': html(
        `<title>ada</title>${alternate('https://photos.example/users/ada.atom', 'ada', 'application/atom+xml')}`,
      ),
      'https://photos.example/users/ada.atom': atom('ada', 'https://photos.example/ada'),
    },
    first: feedAt('https://photos.example/users/ada.atom'),
  },
  {
    about: 'a channel of PeerTube',
    paste: 'https://tube.example/c/coast/videos',
    answers: {
      'https://tube.example/c/coast/videos': html(
        `<title>coast</title>${alternate('https://tube.example/feeds/videos.xml?videoChannelId=3', 'coast')}`,
      ),
      'https://tube.example/feeds/videos.xml?videoChannelId=3': rss('coast', 'https://tube.example/c/coast'),
    },
    first: feedAt('https://tube.example/feeds/videos.xml?videoChannelId=3'),
  },
  {
    about: 'an account of Bluesky',
    paste: 'https://bsky.app/profile/ada.example',
    answers: {
      'https://bsky.app/profile/ada.example': html(
        '<title>Ada (@ada.example) — Bluesky</title><link rel="alternate" type="application/rss+xml" href="/profile/did:plc:abcdefghijklmnop/rss">',
      ),
      'https://bsky.app/profile/ada.example/rss': { to: 'https://bsky.app/profile/did:plc:abcdefghijklmnop/rss' },
      'https://bsky.app/profile/did:plc:abcdefghijklmnop/rss': rss(
        '@ada.example - Ada',
        'https://bsky.app/profile/ada.example',
      ),
    },
    first: feedAt('https://bsky.app/profile/ada.example/rss'),
  },
  {
    about: 'a post at Bluesky',
    paste: 'https://bsky.app/profile/ada.example/post/3kabc',
    answers: {
      'https://bsky.app/profile/ada.example/post/3kabc': html('<title>A post</title>'),
      'https://bsky.app/profile/ada.example/rss': rss('@ada.example - Ada', 'https://bsky.app/profile/ada.example'),
    },
    first: feedAt('https://bsky.app/profile/ada.example/rss'),
  },
  {
    about: 'a handle of Bluesky',
    paste: '@ada.example',
    answers: {
      'https://bsky.app/profile/ada.example': html('<title>Ada</title>'),
      'https://bsky.app/profile/ada.example/rss': rss('@ada.example - Ada', 'https://bsky.app/profile/ada.example'),
    },
    first: feedAt('https://bsky.app/profile/ada.example/rss'),
  },
];

const redditFeed = (name: string) => ({
  [`https://www.reddit.com/r/${name}/new/.rss?limit=100`]: atom(
    `newest : ${name}`,
    `https://www.reddit.com/r/${name}/`,
  ),
});
const refused = { status: 403, body: '<html><body>You have been blocked.</body></html>' };
const sub = { kind: 'reddit', options: { subreddits: ['volcanoes'] } };

const reddit: Recorded[] = [
  {
    about: 'a subreddit',
    paste: 'https://www.reddit.com/r/volcanoes/',
    answers: { 'https://www.reddit.com/r/volcanoes/': html('<title>r/volcanoes</title>'), ...redditFeed('volcanoes') },
    first: sub,
  },
  {
    about: 'a subreddit that refuses programs',
    paste: 'https://www.reddit.com/r/volcanoes',
    answers: {
      'https://www.reddit.com/r/volcanoes': refused,
      'https://www.reddit.com/robots.txt': { type: 'text/plain', body: 'User-agent: *\nDisallow: /' },
    },
    first: sub,
  },
  {
    about: 'the old pages of a subreddit',
    paste: 'https://old.reddit.com/r/volcanoes/top/?t=week',
    answers: {
      'https://old.reddit.com/r/volcanoes/top/?t=week': html(
        `<title>top</title>${alternate('https://old.reddit.com/r/volcanoes/top/.rss', 'RSS')}`,
      ),
      'https://old.reddit.com/r/volcanoes/top/.rss': atom('top', 'https://old.reddit.com/top'),
      ...redditFeed('volcanoes'),
    },
    first: sub,
  },
  {
    about: 'a post in a subreddit',
    paste: 'https://www.reddit.com/r/volcanoes/comments/1abc/lava/',
    answers: { ...redditFeed('volcanoes') },
    first: sub,
  },
  {
    about: 'a subreddit as people write it',
    paste: 'r/volcanoes',
    answers: { ...redditFeed('volcanoes') },
    first: sub,
  },
  {
    about: 'two subreddits',
    paste: 'https://www.reddit.com/r/volcanoes+geology/',
    answers: { ...redditFeed('volcanoes'), ...redditFeed('geology') },
    first: { kind: 'reddit', options: { subreddits: ['volcanoes', 'geology'] } },
  },
  {
    about: 'a user of Reddit',
    paste: 'https://www.reddit.com/user/ada_l/',
    answers: {
      'https://www.reddit.com/user/ada_l/.rss': atom('overview for ada_l', 'https://www.reddit.com/user/ada_l'),
    },
    first: feedAt('https://www.reddit.com/user/ada_l/.rss'),
  },
];

const repoFeeds = {
  'https://api.github.com/repos/ada/engine/events?per_page=100': { type: 'application/json', body: '[]' },
  'https://github.com/ada/engine/releases.atom': atom(
    'Release notes from engine',
    'https://github.com/ada/engine/releases',
  ),
};
const repoPage = html(
  `<title>GitHub - ada/engine</title>${alternate('https://github.com/ada/engine/commits/main.atom', 'Recent Commits to engine:main', 'application/atom+xml')}`,
);
const commits = {
  'https://github.com/ada/engine/commits/main.atom': atom(
    'Recent Commits',
    'https://github.com/ada/engine/commits',
    'commit',
  ),
};
const repo = { kind: 'github', options: { repos: ['ada/engine'] } };

const github: Recorded[] = [
  {
    about: 'a repository',
    paste: 'https://github.com/ada/engine',
    answers: { 'https://github.com/ada/engine': repoPage, ...repoFeeds, ...commits },
    first: repo,
  },
  {
    about: 'an issue of a repository',
    paste: 'https://github.com/ada/engine/issues/12',
    answers: { 'https://github.com/ada/engine/issues/12': html('<title>Issue</title>'), ...repoFeeds },
    first: repo,
  },
  {
    about: 'a repository to be cloned',
    paste: 'https://github.com/ada/engine.git',
    answers: { 'https://github.com/ada/engine.git': repoPage, ...repoFeeds, ...commits },
    first: repo,
  },
  {
    about: 'the releases of a repository',
    paste: 'https://github.com/ada/engine/releases',
    answers: { 'https://github.com/ada/engine/releases': html('<title>Releases</title>'), ...repoFeeds },
    first: { kind: 'github', options: { repos: ['ada/engine'], events: false } },
  },
  {
    about: 'the commits of a branch',
    paste: 'https://github.com/ada/engine/commits/main',
    answers: { 'https://github.com/ada/engine/commits/main': repoPage, ...commits },
    first: feedAt('https://github.com/ada/engine/commits/main.atom'),
  },
  {
    about: 'an account at GitHub',
    paste: 'https://github.com/ada',
    answers: {
      'https://github.com/ada': html('<title>ada</title>'),
      'https://github.com/ada.atom': atom('ada’s activity', 'https://github.com/ada'),
    },
    first: feedAt('https://github.com/ada.atom'),
  },
];

const paper = (text: string) =>
  html(
    '<title>[2411.00001] Waves</title>',
    `<div class="leftcolumn"><h1 class="title">Waves</h1><table><tr><td class="tablecell label">Subjects:</td><td class="tablecell subjects"><span class="primary-subject">${text}</span>; Optics (physics.optics)</td></tr></table></div>`,
  );
const arxivAnswers = (category: string) => ({
  [`https://export.arxiv.org/api/query?search_query=cat%3A${category}+AND+submittedDate%3A%5B202611140000+TO+202611160000%5D&sortBy=submittedDate&sortOrder=descending&start=0&max_results=200`]:
    atom('arXiv Query', 'http://arxiv.org/api/x', 'abs'),
});
const learning = { kind: 'arxiv', options: { categories: ['cs.LG'] } };

const arxiv: Recorded[] = [
  {
    about: 'a list of arXiv',
    paste: 'https://arxiv.org/list/cs.LG/recent',
    answers: {
      'https://arxiv.org/list/cs.LG/recent': html('<title>Machine Learning</title>'),
      ...arxivAnswers('cs.LG'),
    },
    first: learning,
  },
  {
    about: 'an archive of arXiv',
    paste: 'https://arxiv.org/archive/hep-th',
    answers: {
      'https://arxiv.org/archive/hep-th': html('<title>High Energy Physics</title>'),
      ...arxivAnswers('hep-th'),
    },
    first: { kind: 'arxiv', options: { categories: ['hep-th'] } },
  },
  {
    about: 'a paper',
    paste: 'https://arxiv.org/abs/2411.00001',
    answers: { 'https://arxiv.org/abs/2411.00001': paper('Machine Learning (cs.LG)'), ...arxivAnswers('cs.LG') },
    first: learning,
  },
  {
    about: 'the feed of a category',
    paste: 'https://rss.arxiv.org/rss/cs.LG',
    answers: {
      'https://rss.arxiv.org/rss/cs.LG': rss('cs.LG updates on arXiv.org', 'http://rss.arxiv.org/rss/cs.LG'),
      ...arxivAnswers('cs.LG'),
    },
    first: learning,
  },
];

const items = Object.fromEntries(
  Array.from({ length: 31 }, (_, at) => [
    `https://hacker-news.firebaseio.com/v0/item/${970 + at}.json`,
    {
      type: 'application/json',
      body: JSON.stringify({
        id: 970 + at,
        type: 'story',
        by: 'ada',
        time: 1794700000 + at,
        title: `Story ${at}`,
        url: `https://a.example/${at}`,
      }),
    },
  ]),
);
const hn = {
  'https://hacker-news.firebaseio.com/v0/maxitem.json': { type: 'application/json', body: '1000' },
  'https://hacker-news.firebaseio.com/v0/updates.json': {
    type: 'application/json',
    body: '{"items":[],"profiles":[]}',
  },
  ...items,
};
const hnPage = html(
  `<title>Hacker News</title>${alternate('rss', 'RSS')}`,
  '<table id="hnmain"><tr><td>1. A story</td></tr></table>',
);
const hnFeed = { 'https://news.ycombinator.com/rss': rss('Hacker News', 'https://news.ycombinator.com/') };

const hackerNews: Recorded[] = [
  {
    about: 'the front page of Hacker News',
    paste: 'https://news.ycombinator.com/',
    answers: { 'https://news.ycombinator.com/': hnPage, ...hnFeed, ...hn },
    first: { kind: 'hackernews', options: {} },
  },
  {
    about: 'the newest stories of Hacker News',
    paste: 'news.ycombinator.com/newest',
    answers: { 'https://news.ycombinator.com/newest': hnPage, ...hnFeed, ...hn },
    first: { kind: 'hackernews', options: { comments: false } },
  },
  {
    about: 'a story at Hacker News',
    paste: 'https://news.ycombinator.com/item?id=1000',
    answers: { 'https://news.ycombinator.com/item?id=1000': hnPage, ...hnFeed, ...hn },
    first: { kind: 'hackernews', options: {} },
  },
];

const lemmyPage = html(
  `<title>Technology - Lemmy</title>${alternate('/feeds/c/technology.xml?sort=Active', 'RSS', 'application/atom+xml')}`,
  '<div id="app"></div><script>window.isoData = {"path":"/c/technology"}</script>',
);
const lemmyList = (community: string) => {
  const query = `type_=All&sort=New&limit=50${community === '' ? '' : `&community_name=${encodeURIComponent(community)}`}`;
  const post = {
    post: {
      id: 7,
      name: 'A chip',
      ap_id: 'https://lemmy.example/post/7',
      published: '2026-11-14T08:00:00Z',
      body: 'It is small.',
      nsfw: false,
    },
    creator: { id: 2, name: 'ada', actor_id: 'https://lemmy.example/u/ada' },
    community: { id: 3, name: 'technology', actor_id: 'https://lemmy.example/c/technology' },
  };
  return {
    [`https://lemmy.example/api/v3/post/list?${query}`]: {
      type: 'application/json',
      body: JSON.stringify({ posts: [post] }),
    },
    [`https://lemmy.example/api/v3/comment/list?${query}`]: { type: 'application/json', body: '{"comments":[]}' },
  };
};

const lemmy: Recorded[] = [
  {
    about: 'a community of Lemmy',
    paste: 'https://lemmy.example/c/technology',
    answers: {
      'https://lemmy.example/c/technology': lemmyPage,
      'https://lemmy.example/feeds/c/technology.xml?sort=Active': atom(
        'technology',
        'https://lemmy.example/c/technology',
      ),
      ...lemmyList('technology'),
    },
    first: { kind: 'lemmy', options: { url: 'https://lemmy.example', communities: ['technology'] } },
  },
  {
    about: 'a community of another Lemmy server',
    paste: 'https://lemmy.example/c/books@far.example?dataType=Post',
    answers: {
      'https://lemmy.example/c/books@far.example?dataType=Post': lemmyPage,
      ...lemmyList('books@far.example'),
    },
    first: { kind: 'lemmy', options: { url: 'https://lemmy.example', communities: ['books@far.example'] } },
  },
  {
    about: 'the front page of a Lemmy server',
    paste: 'https://lemmy.example',
    answers: { 'https://lemmy.example/': lemmyPage, ...lemmyList('') },
    first: { kind: 'lemmy', options: { url: 'https://lemmy.example' } },
  },
];

const wiki = 'https://en.wikipedia.org';
const others: Recorded[] = [
  {
    about: 'an article of Wikipedia',
    paste: `${wiki}/wiki/Mount_Etna`,
    answers: {
      [`${wiki}/wiki/Mount_Etna`]: html(
        `<title>Mount Etna - Wikipedia</title>${alternate('/w/index.php?title=Special:RecentChanges&feed=atom', 'Wikipedia Atom feed', 'application/atom+xml')}`,
      ),
      [`${wiki}/w/index.php?title=Special:RecentChanges&feed=atom`]: atom('Recent changes', wiki, 'change'),
      [`${wiki}/w/index.php?title=Mount_Etna&action=history&feed=atom`]: atom(
        'Mount Etna - Revision history',
        `${wiki}/wiki/Mount_Etna`,
      ),
    },
    first: feedAt(`${wiki}/w/index.php?title=Mount_Etna&action=history&feed=atom`),
  },
  {
    about: 'stories of an author at Medium',
    paste: 'https://medium.com/@ada/waves-1',
    answers: {
      'https://medium.com/@ada/waves-1': refused,
      'https://medium.com/feed/@ada': rss('Stories by Ada on Medium', 'https://medium.com/@ada'),
    },
    first: feedAt('https://medium.com/feed/@ada'),
  },
  {
    about: 'a tag of Stack Overflow',
    paste: 'https://stackoverflow.com/questions/tagged/node.js',
    answers: {
      'https://stackoverflow.com/questions/tagged/node.js': html('<title>Newest questions</title>'),
      'https://stackoverflow.com/feeds/tag/node.js': atom('Recent questions', 'https://stackoverflow.com/questions'),
    },
    first: feedAt('https://stackoverflow.com/feeds/tag/node.js'),
  },
  {
    about: 'an account on a page that is no Mastodon',
    paste: 'https://videos.example/@ada',
    answers: { 'https://videos.example/@ada': html('<title>ada</title>') },
    first: { kind: 'watch', options: { urls: ['https://videos.example/@ada'] } },
  },
];

export const SERVICES: readonly Recorded[] = [
  ...youtube,
  ...fediverse,
  ...reddit,
  ...github,
  ...arxiv,
  ...hackerNews,
  ...lemmy,
  ...others,
];
