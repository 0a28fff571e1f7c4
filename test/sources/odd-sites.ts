/** A stand-in for the site of each kind of source, which can be told to answer wrongly: what it says then is the fault. */
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { tid } from './jetstream-server.ts';
import { type Answer, type Item, SITES } from './open-web-sites.ts';
import { openServer, type TestServer } from './server.ts';

export const FAULTS = [
  'malformed item',
  'wrong type',
  'truncated',
  'empty',
  'HTML with 200',
  'redirect to login',
  'duplicated page',
  'reordered page',
  'clock ahead',
] as const;
export type Fault = (typeof FAULTS)[number];

/** A site: the items that it has published, oldest first, and how it answers wrongly. */
export interface World {
  readonly items: Item[];
  fault: Fault | undefined;
  /** The path of a file, for the kind that reads one. */
  readonly file: string;
}

export interface OddSite extends AsyncDisposable {
  readonly url: string;
  /** The world has changed: those who listen are told, or are cut off when it answers wrongly from now on. */
  changed(): void;
}

export interface OddKind {
  readonly kind: string;
  options(url: string, world: World): object;
  open(world: World): Promise<OddSite>;
  /** It does not read in the order of time, so that no certificate is issued of now. */
  readonly isTimeless?: boolean;
}

const QUICK = { every: 0.005, pause: 0 };
const LOGIN = {
  body: '<!doctype html><html><body><h1>Log in</h1></body></html>',
  headers: { 'content-type': 'text/html' },
};
const HOUR_MS = 3_600_000;

/** The items as the site shows them now, oldest first. */
function shown({ items, fault }: World): readonly Item[] {
  if (fault === 'empty') return [];
  if (fault === 'duplicated page') return items.flatMap((item) => [item, item]);
  if (fault === 'reordered page') return items.toReversed();
  if (fault === 'clock ahead')
    return items.map((item) => ({ ...item, at: new Date(Date.parse(item.at!) + HOUR_MS).toISOString() }));
  return items;
}

/** An answer as the fault leaves it. */
function spoiled({ fault }: World, path: string, answer: () => Answer): Answer {
  if (fault === 'HTML with 200' || path === '/login') return LOGIN;
  if (fault === 'redirect to login') return { status: 302, headers: { location: '/login' }, body: '' };
  const right = answer();
  return fault === 'truncated' ? { ...right, body: right.body.slice(0, Math.floor(right.body.length * 0.7)) } : right;
}

type Respond = (request: IncomingMessage, base: string) => Answer;

const give = (response: ServerResponse, { status = 200, headers = {}, body }: Answer): void =>
  void response.writeHead(status, headers).end(body);

/** A site that is asked. */
async function asked(world: World, respond: Respond): Promise<OddSite> {
  const server: TestServer = await openServer((request, response) => {
    const path = request.url ?? '';
    if (path === '/robots.txt') return give(response, { status: 404, body: '' });
    give(
      response,
      spoiled(world, path, () => respond(request, server.url)),
    );
  });
  return Object.assign(server, { changed: () => {} });
}

/** A site that streams over server-sent events. A fault begins with the next connection. */
async function streamed(world: World, { isStream, hello, frame, respond }: StreamingSite): Promise<OddSite> {
  /** Connections, with the fault under which they were made. */
  const open = new Map<ServerResponse, Fault | undefined>();
  let sent = 0;
  const server: TestServer = await openServer((request, response) => {
    const path = new URL(request.url!, 'http://a').pathname;
    if (!isStream(path))
      return give(
        response,
        spoiled(world, path, () => respond!(request, server.url)),
      );
    if (respond === undefined && world.fault !== undefined) {
      const body = () => ({ headers: { 'content-type': 'text/event-stream' }, body: hello(world, request) });
      const answer = spoiled(world, path, body);
      if (answer.status === 302 || answer === LOGIN) return give(response, answer);
      response.writeHead(200, answer.headers).write(answer.body);
      if (world.fault === 'truncated') return void response.end();
    } else response.writeHead(200, { 'content-type': 'text/event-stream' }).write(hello(world, request));
    sent = world.items.length;
    open.set(response, world.fault);
  });
  return Object.assign(server, {
    changed() {
      for (const [response, fault] of open)
        if (fault !== world.fault) {
          response.destroy();
          open.delete(response);
        }
      const fresh = shown({ ...world, items: world.items.slice(sent) });
      for (const item of fresh) for (const response of open.keys()) response.write(frame(item));
      sent = world.items.length;
    },
  });
}

interface StreamingSite {
  isStream(path: string): boolean;
  /** The bytes that a connection begins with. */
  hello(world: World, request: IncomingMessage): string;
  frame(item: Item): string;
  /** Answers to all but the stream; without it, the stream itself is wrong. */
  respond?: Respond;
}

const listKinds = SITES.map((site): OddKind => {
  const options: Record<string, (url: string) => object> = {
    github: (url) => ({ repos: ['hesper/volcano'], events: true, releases: false, advisories: false, url, web: url }),
    arxiv: (url) => ({ categories: ['physics.geo-ph'], days: 4, url }),
    youtube: (url) => ({ channels: ['UC_x5XG1OV2P6uZZ5FSM9Ttw'], url }),
    reddit: (url) => ({ subreddits: ['volcanoes'], comments: false, permitted: true, url }),
    lemmy: (url) => ({ communities: [], local: false, comments: false, url }),
    gdelt: (url) => ({ translated: false, catch_up: 48, url }),
  };
  return {
    kind: site.kind,
    options: (url) => ({ ...QUICK, ...options[site.kind]!(url) }),
    open: (world) =>
      asked(world, (request, base) => {
        // There is always a newest file; it is the file that has nothing in it.
        const isEmptyFile = site.kind === 'gdelt' && world.fault === 'empty';
        const items = isEmptyFile ? world.items : shown(world);
        const answer = site.answer(request, items.toReversed(), base);
        return isEmptyFile && !request.url!.startsWith('/lastupdate') ? { ...answer, body: '' } : answer;
      }),
    ...(site.kind === 'gdelt' && { isTimeless: true }),
  };
});

const rssItem = ({ number, title, text, odd, at }: Item): string =>
  odd === 'malformed'
    ? '<item></item>'
    : `<item><guid>https://items.example/${number}</guid><title>${title}</title><description>${text}</description>
       <pubDate>${odd === undefined ? at : 'soon'}</pubDate></item>`;

const feedsKind: OddKind = {
  kind: 'feeds',
  options: (url) => ({ ...QUICK, urls: [`${url}/feed.xml`], first: 'whole' }),
  open: (world) =>
    asked(world, () => ({
      headers: { 'content-type': 'text/xml' },
      body: `<rss><channel><title>List</title>${shown(world).toReversed().map(rssItem).join('')}</channel></rss>`,
    })),
};

const watchKind: OddKind = {
  kind: 'watch',
  options: (url) => ({ ...QUICK, urls: [`${url}/page`], first: 'whole' }),
  open: (world) =>
    asked(world, () => ({
      headers: { 'content-type': world.fault === 'wrong type' ? 'image/png' : 'text/html' },
      body: `<!doctype html><html><body>${shown(world)
        .map(({ text, odd }) => (odd === 'malformed' ? `<p <b>${text}` : `<p>${text}</p>`))
        .join('')}</body></html>`,
    })),
};

const hackerNewsKind: OddKind = {
  kind: 'hackernews',
  options: (url) => ({ every: 0.005, stories: true, comments: true, url }),
  open: (world) =>
    asked(world, ({ url = '' }) => {
      const json = (value: unknown) => ({
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(value),
      });
      if (url === '/v0/maxitem.json') return json(world.items.length);
      if (url === '/v0/updates.json') return json({ items: [] });
      const number = world.fault === 'duplicated page' ? 1 : Number(/item\/(\d+)/.exec(url)?.[1]);
      const item = shown(world).find((one) => one.number === number);
      if (item === undefined) return json(null);
      if (item.odd === 'malformed') return json({ type: 'comment' });
      const time = Date.parse(item.at!) / 1_000;
      return json({ id: number, type: 'comment', time, text: item.odd ? 5 : item.text });
    }),
};

const statusId = (number: number): string => String(100_000_000_000_000_000n + (BigInt(number) << 16n));
const statusOf = ({ number, text, odd, at }: Item) => ({
  id: statusId(number),
  content: odd === 'malformed' ? null : `<p>${text}</p>`,
  created_at: at,
  tags: odd === 'wrong type' ? 'lava' : [],
});

const mastodonKind: OddKind = {
  kind: 'mastodon',
  options: (url) => ({ url, local: false, stall: 90 }),
  open: (world) =>
    streamed(world, {
      isStream: (path) => path.startsWith('/api/v1/streaming/'),
      hello: () => ':)\n\n',
      frame: (item) => `event: update\ndata: ${JSON.stringify(statusOf(item))}\n\n`,
      respond(request) {
        const after = BigInt(new URL(request.url!, 'http://a').searchParams.get('min_id')!);
        const isDeaf = world.fault === 'duplicated page';
        const found = shown(world).filter(({ number }) => isDeaf || BigInt(statusId(number)) > after);
        return {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(found.toReversed().map(statusOf)),
        };
      },
    }),
};

const changeOf = ({ number, title, text, odd, at }: Item) =>
  odd === 'malformed'
    ? { type: 'edit' }
    : {
        meta: { uri: `https://items.example/${number}`, id: `uuid-${number}`, domain: 'en.wikipedia.org', dt: at },
        type: 'edit',
        title,
        comment: odd === undefined ? text : 5,
        server_name: 'en.wikipedia.org',
      };
const changeFrame = (item: Item): string =>
  `event: message\nid: ${item.number}\ndata: ${JSON.stringify(changeOf(item))}\n\n`;

const wikipediaKind: OddKind = {
  kind: 'wikipedia',
  options: (url) => ({ url: `${url}/stream`, wikis: [], bots: false, stall: 60 }),
  open: (world) =>
    streamed(world, {
      isStream: (path) => path === '/stream',
      hello(now, request) {
        const last = Number(request.headers['last-event-id'] ?? 0);
        const rest = shown(now).filter(({ number }) => number > last);
        return `:ok\n\n${rest.map(changeFrame).join('')}`;
      },
      frame: changeFrame,
    }),
};

const TYPE = 'network.bsky.jetstream.subscribeEvents';

function frameOf({ number, text, odd, at }: Item, fault: Fault | undefined): string {
  const time = new Date(Date.parse(at!)).toISOString();
  const record = { text: odd === 'wrong type' ? 5 : text, createdAt: time };
  const commit = { operation: 'create', collection: 'app.bsky.feed.post', rkey: `3l${number}`, cid: `bafy${number}` };
  const rev = tid(Date.parse(at!) * 1_000);
  const payload = {
    $type: `${TYPE}#commit`,
    seq: number,
    did: `did:plc:author${number}`,
    time,
    rev,
    ...commit,
    record,
  };
  const frame = JSON.stringify({ $type: 'message', payload });
  if (odd === 'malformed') return 'nonsense';
  if (fault === 'empty') return '';
  return fault === 'truncated' ? frame.slice(0, 100) : frame;
}

const jetstreamKind: OddKind = {
  kind: 'jetstream',
  options: (url) => ({
    url: url.replace('http', 'ws'),
    witness: 'none',
    dids: [],
    stall: 60,
    compress: false,
    archive: false,
  }),
  open: (world) => socketSite(world),
};

/** Frames go wrong on a connection that stands; a login page is met when it is made anew. */
async function socketSite(world: World): Promise<OddSite> {
  const open = new Set<WebSocket>();
  const sockets = new WebSocketServer({ noServer: true });
  let sent = 0;
  const isRefused = () => world.fault === 'HTML with 200' || world.fault === 'redirect to login';
  const server = await openServer(
    (_, response) => give(response, LOGIN),
    '127.0.0.1',
    (request, socket, head) => {
      if (isRefused()) return refuse(socket, world.fault!);
      sockets.handleUpgrade(request, socket, head, (opened) => {
        const cursor = Number(new URL(request.url!, 'http://a').searchParams.get('cursor') ?? world.items.length + 1);
        for (const item of world.items) if (item.number >= cursor) opened.send(frameOf(item, undefined));
        sent = world.items.length;
        open.add(opened);
      });
    },
  );
  return Object.assign(server, {
    changed() {
      if (isRefused()) for (const socket of open) socket.terminate();
      if (isRefused()) return open.clear();
      const fresh = world.items.slice(sent);
      const frames = shown({ ...world, items: fresh, fault: world.fault === 'empty' ? undefined : world.fault });
      for (const item of frames) for (const socket of open) socket.send(frameOf(item, world.fault));
      sent = world.items.length;
    },
  });
}

function refuse(socket: Duplex, fault: Fault): void {
  const { body } = LOGIN;
  const status = fault === 'HTML with 200' ? '200 OK' : '302 Found\r\nlocation: /login';
  socket.end(`HTTP/1.1 ${status}\r\ncontent-type: text/html\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
}

const lineOf = ({ number, text, odd }: Item): string =>
  odd === 'malformed'
    ? 'nonsense'
    : JSON.stringify({ id: odd ? {} : number, url: `https://items.example/${number}`, added: text });

const ndjsonKind: OddKind = {
  kind: 'ndjson',
  options: (_, { file }) => ({ file }),
  async open(world) {
    const write = () => {
      const lines = `${shown(world).map(lineOf).join('\n')}\n`;
      const isPage = world.fault === 'HTML with 200' || world.fault === 'redirect to login';
      const text = world.fault === 'truncated' ? lines.slice(0, -12) : lines;
      writeFileSync(world.file, isPage ? LOGIN.body : world.fault === 'empty' ? '' : text);
    };
    write();
    return { url: '', changed: write, async [Symbol.asyncDispose]() {} };
  },
  isTimeless: true,
};

export const ODD_KINDS: readonly OddKind[] = [
  jetstreamKind,
  feedsKind,
  mastodonKind,
  hackerNewsKind,
  wikipediaKind,
  ...listKinds,
  watchKind,
  ndjsonKind,
];
