import { fastify, type InjectOptions } from 'fastify';
import { expect, it } from 'vitest';
import { createCors } from './cors.ts';

/** A server whose only answers are those that the part under test gives. */
async function answersOf(origins: readonly string[], request: InjectOptions) {
  const cors = createCors(origins)!;
  const app = fastify();
  const asked: boolean[] = [];
  app.addHook('onRequest', (incoming, reply, done) => {
    cors.mark(incoming, reply);
    const methods = incoming.url === '/unknown' ? undefined : ['GET', 'POST'];
    asked.push(cors.answersPreflight(incoming, reply, methods));
    if (!asked[0]) done();
  });
  app.route({ method: ['GET', 'OPTIONS'], url: '/*', handler: (_, reply) => reply.send('mine') });
  const { statusCode, headers, body } = await app.inject(request);
  await app.close();
  return { statusCode, headers, body, isAnswered: asked[0] };
}

const LISTED = 'https://app.example';
const question = (
  origin: string | undefined,
  url = '/known',
  method: 'OPTIONS' | 'GET' = 'OPTIONS',
): InjectOptions => ({
  method,
  url,
  headers: { ...(origin !== undefined && { origin }), 'access-control-request-method': 'POST' },
});

it('nothing is looked at where no origin is listed', () => expect(createCors([])).toBeUndefined());

it('a listed origin may read the answer, and a cache keeps origins apart', async () => {
  const { headers, body, isAnswered } = await answersOf([LISTED], { url: '/', headers: { origin: LISTED } });
  expect([body, isAnswered]).toEqual(['mine', false]);
  expect(headers).toMatchObject({
    'access-control-allow-origin': LISTED,
    'access-control-expose-headers': 'X-Request-Id, RateLimit, RateLimit-Policy, Retry-After',
    vary: 'Origin',
  });
});

it.each([['https://other.example'], [undefined]])(
  'an origin that is not listed is told nothing: %s',
  async (origin) => {
    const { headers } = await answersOf([LISTED], { url: '/', headers: { ...(origin && { origin }) } });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(headers).not.toHaveProperty('access-control-expose-headers');
    expect(headers['vary']).toBe('Origin');
  },
);

it('every origin may read where all are listed, and the answer is the same for each', async () => {
  const some = await answersOf(['*'], { url: '/', headers: { origin: 'https://any.example' } });
  expect([some.headers['access-control-allow-origin'], some.headers['vary']]).toEqual(['*', undefined]);
  const none = await answersOf(['*'], { url: '/' });
  expect(none.headers).not.toHaveProperty('access-control-allow-origin');
});

it('a listed origin that asks first is told the methods and headers, for ten minutes', async () => {
  const { statusCode, headers, body } = await answersOf([LISTED], question(LISTED));
  expect([statusCode, body]).toEqual([204, '']);
  expect(headers).toMatchObject({
    'access-control-allow-origin': LISTED,
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID',
    'access-control-max-age': '600',
  });
});

it.each<[string, InjectOptions]>([
  ['of an origin that is not listed', question('https://other.example')],
  ['without an origin', question(undefined)],
  ['at a path that is none', question(LISTED, '/unknown')],
  ['by another method', question(LISTED, '/known', 'GET')],
  ['that asks for no method', { method: 'OPTIONS', url: '/known', headers: { origin: LISTED } }],
])('a request %s is no question of a browser', async (_, request) => {
  const { isAnswered, headers } = await answersOf([LISTED], request);
  expect(isAnswered).toBe(false);
  expect(headers).not.toHaveProperty('access-control-allow-methods');
});
