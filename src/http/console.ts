/**
 * The console: files that were built and compressed beforehand, handed out as they are. They need no key; what they show
 * comes over the API, with a session. Names with a hash in them never change and are kept for ever; the page is asked
 * for each time.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { unauthenticated } from '../service/access/keys.ts';
import { type SessionCookie, sessionToken } from './auth.ts';
import type { ConsoleOptions } from './options.ts';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Their names change with what they hold. */
const ASSETS = 'assets/';

const UNBUILT = 'The console is not built. In a checkout, `npm start` builds it; the API works without it.\n';

export function addConsole(
  app: FastifyInstance,
  options: ConsoleOptions,
  { cookie }: { readonly cookie: SessionCookie },
): void {
  const { context, consoleDir } = options;
  const headers = {
    'Content-Security-Policy': POLICY,
    'X-Frame-Options': 'DENY',
    ...(options.publicUrl?.startsWith('https:') && { 'Strict-Transport-Security': 'max-age=31536000' }),
  };
  const files = consoleDir === undefined || !existsSync(join(consoleDir, 'index.html')) ? [] : filesIn(consoleDir);
  const send = (file: File, request: FastifyRequest, reply: FastifyReply) =>
    sendFile(file, request, reply.headers({ ...headers, 'Cross-Origin-Opener-Policy': 'same-origin' }));
  for (const file of files.filter(({ name }) => !name.startsWith(ASSETS))) {
    const path = file.name === 'index.html' ? '/' : `/${file.name}`;
    app.get(path, (request, reply) => send(file, request, reply));
    // The page that asks whether an agent may connect. A client that opened it in a window of its own must find that
    // window again after the answer, which a policy of its own opener would prevent.
    if (path === '/') app.get('/consent', (request, reply) => sendFile(file, request, reply.headers(headers)));
  }
  // A route for each of a hundred files would take longer to set up than all of the API's.
  const assets = new Map(files.map((file) => [file.name, file]));
  app.get<{ Params: { '*': string } }>(`/${ASSETS}*`, (request, reply) => {
    const file = assets.get(ASSETS + request.params['*']);
    if (file === undefined) return reply.callNotFound();
    return send(file, request, reply);
  });
  for (const path of files.length === 0 ? ['/', '/consent'] : [])
    app.get(path, (_, reply) => reply.code(404).type('text/plain; charset=utf-8').send(UNBUILT));

  // The session is the browser's, not an operation's: no other caller could end it.
  app.post('/session/end', async (request, reply) => {
    const token = sessionToken(request.headers, cookie.name);
    if (token === undefined) throw unauthenticated();
    context.live.endSession(await context.sessions.end(token));
    return reply.header('Set-Cookie', cookie.none).send({});
  });
}

/** Their addresses are behind a `#`, which people who type one leave out. */
const PAGES: ReadonlySet<string> = new Set([
  'matches',
  'rules',
  'sources',
  'connect',
  'timeline',
  'health',
  'settings',
]);

/**
 * The address to which a browser is sent that asks for a page by its path. Programs do not ask for HTML, and get the
 * usual answer.
 */
export function consolePage({
  method,
  url,
  headers,
}: Pick<FastifyRequest, 'method' | 'url' | 'headers'>): string | undefined {
  const path = url.slice(1);
  const [name = '', ...inside] = path.split('?', 1)[0]!.split('/');
  if (method !== 'GET' || !PAGES.has(name) || headers.accept?.includes('text/html') !== true) return undefined;
  return `${inside.length === 0 ? './' : '../'.repeat(inside.length)}#/${path}`;
}

interface File {
  readonly name: string;
  readonly type: string;
  readonly etag: string;
  readonly cacheControl: string;
  /** The bytes as they are, and compressed where that was worth it. */
  readonly bytes: Readonly<Partial<Record<'br' | 'gzip', Buffer>>> & { readonly identity: Buffer };
}

/** All of it is a few hundred kilobytes, so it is kept in memory. */
function filesIn(folder: string): File[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => extname(name) in TYPES);
  return names.map((name) => {
    const read = (suffix: string) => {
      const path = join(folder, name + suffix);
      return existsSync(path) ? readFileSync(path) : undefined;
    };
    const [identity, br, gzip] = [readFileSync(join(folder, name)), read('.br'), read('.gz')];
    return {
      name: name.split(sep).join('/'),
      type: TYPES[extname(name)]!,
      etag: createHash('sha256').update(identity).digest('base64url').slice(0, 22),
      cacheControl: name.startsWith('assets') ? 'public, max-age=31536000, immutable' : 'no-cache',
      bytes: { identity, ...(br && { br }), ...(gzip && { gzip }) },
    };
  });
}

function sendFile(file: File, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const encoding = encodingFor(file, request.headers['accept-encoding'] ?? '');
  const etag = `"${file.etag}-${encoding}"`;
  reply.headers({ 'Cache-Control': file.cacheControl, ETag: etag, Vary: 'Accept-Encoding' });
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  if (encoding !== 'identity') reply.header('Content-Encoding', encoding);
  return reply.type(file.type).send(file.bytes[encoding]);
}

function encodingFor({ bytes }: File, accepted: string): 'br' | 'gzip' | 'identity' {
  const names = accepted.split(',').map((part) => part.split(';')[0]!.trim());
  return (['br', 'gzip'] as const).find((name) => bytes[name] !== undefined && names.includes(name)) ?? 'identity';
}
