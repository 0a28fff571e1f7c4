/** Sites of usual makes, by what their pages say in their heads. */
import { alternate, atom, feedAt, html, jsonFeed, pageAt, type Recorded, rss, sitemap } from './recorded.ts';

const ATOM = 'application/atom+xml';
const site = 'https://harbour.example';

const wordpressHead = `<title>Harbour News</title><meta name="generator" content="WordPress 6.6"/>
${alternate(`${site}/feed/`, 'Harbour News &raquo; Feed')}${alternate(`${site}/comments/feed/`, 'Harbour News &raquo; Comments Feed')}
<link rel="https://api.w.org/" href="${site}/wp-json/" /><link rel="EditURI" type="application/rsd+xml" href="${site}/xmlrpc.php?rsd" />`;
const wordpress = {
  [`${site}/feed/`]: rss('Harbour News', `${site}/`),
  [`${site}/comments/feed/`]: rss('Comments for Harbour News', site, 'comment'),
};

export const SITES: readonly Recorded[] = [
  {
    about: 'the front page of WordPress',
    paste: `${site}/`,
    answers: { [`${site}/`]: html(wordpressHead), ...wordpress },
    first: feedAt(`${site}/feed/`),
  },
  {
    about: 'a post of WordPress, whose comments have a feed too',
    paste: `${site}/2026/11/dredging/`,
    answers: {
      [`${site}/2026/11/dredging/`]:
        html(`${wordpressHead}${alternate(`${site}/2026/11/dredging/feed/`, 'Harbour News &raquo; Dredging Comments Feed')}
<link rel="alternate" title="JSON" type="application/json" href="${site}/wp-json/wp/v2/posts/12" /><link rel="alternate" title="oEmbed (JSON)" type="application/json+oembed" href="${site}/wp-json/oembed/1.0/embed?url=x" />`),
      ...wordpress,
      [`${site}/2026/11/dredging/feed/`]: rss('Comments on: Dredging', site, 'reply'),
      [`${site}/wp-json/wp/v2/posts/12`]: {
        type: 'application/json',
        body: '{"id":12,"title":{"rendered":"Dredging"}}',
      },
    },
    first: feedAt(`${site}/feed/`),
  },
  {
    about: 'a category of WordPress, which has a feed of its own',
    paste: `${site}/category/ferries/`,
    answers: {
      [`${site}/category/ferries/`]: html(
        `${wordpressHead}${alternate(`${site}/category/ferries/feed/`, 'Harbour News &raquo; Ferries Category Feed')}`,
      ),
      ...wordpress,
      [`${site}/category/ferries/feed/`]: rss('Ferries', site, 'ferry'),
    },
    first: feedAt(`${site}/category/ferries/feed/`),
  },
  {
    about: 'Ghost',
    paste: 'pilots.example',
    answers: {
      'https://pilots.example/': html(
        `<title>Pilots</title><meta name="generator" content="Ghost 5.89">${alternate('https://pilots.example/rss/', 'Pilots')}`,
      ),
      'https://pilots.example/rss/': rss('Pilots', 'https://pilots.example/'),
    },
    first: feedAt('https://pilots.example/rss/'),
  },
  {
    about: 'Hugo with a relative address',
    paste: 'https://tides.example/posts/',
    answers: {
      'https://tides.example/posts/': html(
        `<meta name="generator" content="Hugo 0.131.0"><title>Posts</title><link rel=alternate type=application/rss+xml href=/posts/index.xml title=Tides>`,
      ),
      'https://tides.example/posts/index.xml': rss('Posts on Tides', 'https://tides.example/posts/'),
    },
    first: feedAt('https://tides.example/posts/index.xml'),
  },
  {
    about: 'Jekyll',
    paste: 'https://ada.example.io',
    answers: {
      'https://ada.example.io/': html(
        `<meta name="generator" content="Jekyll v4.3.3" /><title>Ada</title><link type="application/atom+xml" rel="alternate" href="https://ada.example.io/feed.xml" title="Ada" />`,
      ),
      'https://ada.example.io/feed.xml': atom('Ada', 'https://ada.example.io/'),
    },
    first: feedAt('https://ada.example.io/feed.xml'),
  },
  {
    about: 'Substack',
    paste: 'https://letters.substack.example/p/spring',
    answers: {
      'https://letters.substack.example/p/spring': html(
        `<title>Spring</title><link rel="alternate" type="application/rss+xml" href="/feed" title="Letters"/>`,
      ),
      'https://letters.substack.example/feed': rss('Letters', 'https://letters.substack.example/'),
    },
    first: feedAt('https://letters.substack.example/feed'),
  },
  {
    about: 'Blogger, with Atom, RSS and a link for its service',
    paste: 'https://boats.blogspot.example/',
    answers: {
      'https://boats.blogspot.example/': html(`<title>Boats</title><meta content='blogger' name='generator'/>
${alternate('https://boats.blogspot.example/feeds/posts/default', 'Boats - Atom', ATOM)}${alternate('https://boats.blogspot.example/feeds/posts/default?alt=rss', 'Boats - RSS')}
<link rel="service.post" type="application/atom+xml" title="Boats - Atom" href="https://www.blogger.example/feeds/1/posts/default" />`),
      'https://boats.blogspot.example/feeds/posts/default': atom('Boats', 'https://boats.blogspot.example/'),
      'https://boats.blogspot.example/feeds/posts/default?alt=rss': rss('Boats', 'https://boats.blogspot.example/'),
    },
    first: feedAt('https://boats.blogspot.example/feeds/posts/default'),
  },
  {
    about: 'Tumblr',
    paste: 'https://gulls.tumblr.example/',
    answers: {
      'https://gulls.tumblr.example/': html(`<title>Gulls</title>${alternate('https://gulls.tumblr.example/rss')}`),
      'https://gulls.tumblr.example/rss': rss('Gulls', 'https://gulls.tumblr.example/'),
    },
    first: feedAt('https://gulls.tumblr.example/rss'),
  },
  {
    about: 'Squarespace, whose feed is a form of the page',
    paste: 'https://studio.example/journal',
    answers: {
      'https://studio.example/journal': html(
        `<title>Journal</title>${alternate('https://studio.example/journal?format=rss', 'RSS Feed')}`,
      ),
      'https://studio.example/journal?format=rss': rss('Journal', 'https://studio.example/journal'),
    },
    first: feedAt('https://studio.example/journal?format=rss'),
  },
  {
    about: 'Drupal',
    paste: 'https://council.example/',
    answers: {
      'https://council.example/': html(
        `<title>Council</title><meta name="Generator" content="Drupal 10" />${alternate('https://council.example/rss.xml', '')}`,
      ),
      'https://council.example/rss.xml': rss('Council', 'https://council.example/'),
    },
    first: feedAt('https://council.example/rss.xml'),
  },
  {
    about: 'Discourse',
    paste: 'https://forum.example/latest',
    answers: {
      'https://forum.example/latest': html(
        `<title>Latest topics</title><meta name="generator" content="Discourse 3.4.0">${alternate('https://forum.example/latest.rss', 'Latest posts')}${alternate('https://forum.example/top.rss', 'Top topics')}`,
      ),
      'https://forum.example/latest.rss': rss('Latest topics', 'https://forum.example/latest'),
      'https://forum.example/top.rss': rss('Top topics', 'https://forum.example/top', 'top'),
    },
    first: feedAt('https://forum.example/latest.rss'),
  },
  {
    about: 'phpBB',
    paste: 'https://board.example/viewforum.php?f=3',
    answers: {
      'https://board.example/viewforum.php?f=3': html(
        `<title>Engines</title>${alternate('/app.php/feed', 'Feed - Board', ATOM)}${alternate('/app.php/feed/forum/3', 'Feed - Forum - Engines', ATOM)}`,
      ),
      'https://board.example/app.php/feed': atom('Board', 'https://board.example/'),
      'https://board.example/app.php/feed/forum/3': atom('Engines', 'https://board.example/', 'engine'),
    },
    first: feedAt('https://board.example/app.php/feed'),
  },
  {
    about: 'a page in capitals, with single quotes and a base',
    paste: 'https://old.example/index.html',
    answers: {
      'https://old.example/index.html': `<HTML><HEAD><TITLE>Old</TITLE><BASE HREF='https://files.old.example/x/'><LINK REL='ALTERNATE' TYPE='application/rss+xml' HREF='news.rss'></HEAD><BODY>Old news.</BODY></HTML>`,
      'https://files.old.example/x/news.rss': rss('Old', 'https://old.example/'),
    },
    first: feedAt('https://files.old.example/x/news.rss'),
  },
  {
    about: 'a microblog with JSON Feed before RSS',
    paste: 'https://micro.example/',
    answers: {
      'https://micro.example/': html(
        `<title>Micro</title>${alternate('https://micro.example/feed.json', 'Micro', 'application/feed+json')}${alternate('https://micro.example/feed.xml', 'Micro')}`,
      ),
      'https://micro.example/feed.json': jsonFeed('Micro', 'https://micro.example/'),
      'https://micro.example/feed.xml': rss('Micro', 'https://micro.example/other/'),
    },
    first: feedAt('https://micro.example/feed.json'),
  },
  {
    about: 'JSON Feed declared as application/json',
    paste: 'https://json.example/',
    answers: {
      'https://json.example/': html(`<title>J</title>${alternate('/feed.json', 'J', 'application/json')}`),
      'https://json.example/feed.json': { ...jsonFeed('J', 'https://json.example/'), type: 'application/json' },
    },
    first: feedAt('https://json.example/feed.json'),
  },
  {
    about: 'a feed that only a link in the footer names',
    paste: 'https://footer.example/',
    answers: {
      'https://footer.example/': html(
        '<title>Footer</title>',
        '<p>Hello, this is the page of a small club.</p><footer><a href="/about">About</a> <a href="/updates.php?format=xml">RSS</a></footer>',
      ),
      'https://footer.example/updates.php?format=xml': rss('Club', 'https://footer.example/'),
    },
    first: feedAt('https://footer.example/updates.php?format=xml'),
  },
  {
    about: 'a link to a page about feeds, and a feed behind another link',
    paste: 'https://paper.example/',
    answers: {
      'https://paper.example/': html(
        '<title>Paper</title>',
        '<p>The paper of the coast.</p><a href="/rss">RSS</a><a href="/rss/top.xml/feed">Feed</a>',
      ),
      'https://paper.example/rss': html('<title>Our feeds</title>'),
      'https://paper.example/rss/top.xml/feed': rss('Paper', 'https://paper.example/'),
    },
    first: feedAt('https://paper.example/rss/top.xml/feed'),
  },
  {
    about: 'a feed at a usual place that nothing names',
    paste: 'https://quiet.example/',
    answers: {
      'https://quiet.example/': html('<title>Quiet</title>'),
      'https://quiet.example/atom.xml': atom('Quiet', 'https://quiet.example/'),
    },
    first: feedAt('https://quiet.example/atom.xml'),
  },
  {
    about: 'the feed of a folder that nothing names',
    paste: 'https://firm.example/blog/',
    answers: {
      'https://firm.example/blog/': html('<title>Blog</title>'),
      'https://firm.example/blog/rss.xml': rss('Blog', 'https://firm.example/blog/'),
      'https://firm.example/rss.xml': rss('Investors', 'https://firm.example/investors/', 'report'),
    },
    first: feedAt('https://firm.example/blog/rss.xml'),
  },
  {
    about: 'a site that answers every address with its front page',
    paste: 'https://app.example/',
    answers: Object.fromEntries(
      [
        '/',
        '/feed',
        '/rss.xml',
        '/feed.xml',
        '/atom.xml',
        '/index.xml',
        '/rss',
        '/feed.json',
        '/feeds/posts/default',
        '/sitemap.xml',
        '/robots.txt',
      ].map((path) => [`https://app.example${path}`, html('<title>App</title>')]),
    ),
    first: pageAt('https://app.example/'),
  },
  {
    about: 'a declared feed that is gone, and another that is there',
    paste: 'https://moved.example/',
    answers: {
      'https://moved.example/': html(
        `<title>Moved</title>${alternate('/old.rss', 'Old')}${alternate('/new.rss', 'New')}`,
      ),
      'https://moved.example/new.rss': rss('New', 'https://moved.example/'),
    },
    first: feedAt('https://moved.example/new.rss'),
  },
  {
    about: 'a declared feed that is gone, and none besides',
    paste: 'https://gone.example/',
    answers: { 'https://gone.example/': html(`<title>Gone</title>${alternate('/old.rss', 'Old')}`) },
    first: pageAt('https://gone.example/'),
  },
  {
    about: 'a page that moved to another host',
    paste: 'http://short.example/x',
    answers: {
      'http://short.example/x': { to: 'https://long.example/news/' },
      'https://long.example/news/': html(`<title>Long</title>${alternate('feed.atom', 'Long', ATOM)}`),
      'https://long.example/news/feed.atom': atom('Long', 'https://long.example/news/'),
    },
    first: feedAt('https://long.example/news/feed.atom'),
  },
  {
    about: 'a podcast page',
    paste: 'https://cast.example/',
    answers: {
      'https://cast.example/': html(`<title>Cast</title>${alternate('https://feeds.cast.example/show.xml', 'Cast')}`),
      'https://feeds.cast.example/show.xml': rss('Cast', 'https://cast.example/').replaceAll(
        '<description>What',
        '<enclosure url="https://cast.example/a.mp3" type="audio/mpeg" length="1"/><description>What',
      ),
    },
    first: feedAt('https://feeds.cast.example/show.xml'),
  },
  {
    about: 'a project at GitLab',
    paste: 'https://gitlab.example/group/tool',
    answers: {
      'https://gitlab.example/group/tool': html(
        `<title>tool · GitLab</title>${alternate('https://gitlab.example/group/tool.atom', 'tool activity', ATOM)}`,
      ),
      'https://gitlab.example/group/tool.atom': atom('tool activity', 'https://gitlab.example/group/tool'),
    },
    first: feedAt('https://gitlab.example/group/tool.atom'),
  },
  {
    about: 'RSS itself',
    paste: 'https://direct.example/news.rss',
    answers: {
      'https://direct.example/news.rss': {
        type: 'application/rss+xml',
        body: rss('Direct', 'https://direct.example/'),
      },
    },
    first: feedAt('https://direct.example/news.rss'),
  },
  {
    about: 'Atom that is served as a page',
    paste: 'feed://direct.example/atom',
    answers: { 'https://direct.example/atom': { type: 'text/html', body: atom('Direct', 'https://direct.example/') } },
    first: feedAt('https://direct.example/atom'),
  },
  {
    about: 'RDF',
    paste: 'https://direct.example/index.rdf',
    answers: {
      'https://direct.example/index.rdf': `<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel rdf:about="https://direct.example/"><title>RDF</title></channel><item rdf:about="https://direct.example/1"><title>One</title><link>https://direct.example/1</link></item></rdf:RDF>`,
    },
    first: feedAt('https://direct.example/index.rdf'),
  },
  {
    about: 'JSON Feed itself',
    paste: 'https://direct.example/feed.json',
    answers: { 'https://direct.example/feed.json': jsonFeed('Direct', 'https://direct.example/') },
    first: feedAt('https://direct.example/feed.json'),
  },
  {
    about: 'a sitemap',
    paste: 'https://maps.example/sitemap.xml',
    answers: { 'https://maps.example/sitemap.xml': sitemap('https://maps.example') },
    first: feedAt('https://maps.example/sitemap.xml'),
  },
  {
    about: 'an index of sitemaps',
    paste: 'https://maps.example/sitemap_index.xml',
    answers: {
      'https://maps.example/sitemap_index.xml': `<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>https://maps.example/old.xml</loc><lastmod>2020-01-01</lastmod></sitemap><sitemap><loc>https://maps.example/posts.xml</loc><lastmod>2026-11-14</lastmod></sitemap></sitemapindex>`,
      'https://maps.example/posts.xml': sitemap('https://maps.example'),
    },
    first: feedAt('https://maps.example/posts.xml'),
  },
  {
    about: 'a front page without feeds, whose robots.txt names a sitemap',
    paste: 'https://shop.example/',
    answers: {
      'https://shop.example/': html('<title>Shop</title>'),
      'https://shop.example/robots.txt': {
        type: 'text/plain',
        body: 'User-agent: *\nDisallow: /cart\nSitemap: https://shop.example/maps/all.xml\n',
      },
      'https://shop.example/maps/all.xml': sitemap('https://shop.example'),
    },
    first: feedAt('https://shop.example/maps/all.xml'),
  },
  {
    about: 'one article of a shop that has a sitemap',
    paste: 'https://shop.example/products/lamp-42',
    answers: {
      'https://shop.example/products/lamp-42': html(
        '<title>Lamp</title>',
        '<div id="product"><h1>Lamp</h1><span class="price">€ 39.90</span><p class="stock">Sold out</p></div>',
      ),
      'https://shop.example/sitemap.xml': sitemap('https://shop.example'),
    },
    first: pageAt('https://shop.example/products/lamp-42'),
  },
  {
    about: 'the prices of a firm that has a feed at its root',
    paste: 'https://firm.example/pricing',
    answers: {
      'https://firm.example/pricing': html('<title>Prices</title>'),
      'https://firm.example/feed.xml': rss('Firm', 'https://firm.example/'),
    },
    first: pageAt('https://firm.example/pricing'),
  },
  {
    about: 'a page of plain text',
    paste: 'https://rfc.example/1.txt',
    answers: { 'https://rfc.example/1.txt': { type: 'text/plain', body: 'A memo.\n\nIt says little.' } },
    first: pageAt('https://rfc.example/1.txt'),
  },
  {
    about: 'a page of timetables with a query',
    paste: 'https://bus.example/board?stop=17#next',
    answers: {
      'https://bus.example/board?stop=17': html(
        '<title>Stop 17</title>',
        '<table><tr><td>Line 4</td><td>12:05</td></tr></table>',
      ),
    },
    first: pageAt('https://bus.example/board?stop=17'),
  },
  {
    about: 'a declared feed without entries',
    paste: 'https://empty.example/notes',
    answers: {
      'https://empty.example/notes': html(`<title>Notes</title>${alternate('/notes.xml', 'Notes')}`),
      'https://empty.example/notes.xml':
        '<?xml version="1.0"?><rss version="2.0"><channel><title>Notes</title></channel></rss>',
    },
    first: pageAt('https://empty.example/notes'),
  },
];
