import { expect, it } from 'vitest';
import { OPERATOR_KEY, startApp } from './stages/http-app.ts';

it('answers for its health alone where the process does other work', async () => {
  await using app = await startApp({ hasApi: false });
  const get = async (url: string) =>
    (await app.http.inject({ url, headers: { authorization: `Bearer ${OPERATOR_KEY}` } })).statusCode;
  for (const path of ['/healthz', '/readyz', '/metrics']) expect(await get(path)).toBe(200);
  for (const path of ['/', '/api.ListRules', '/api.Status', '/openapi.json', '/docs', '/mcp', '/api.StreamMatches'])
    expect(await get(path)).toBe(404);
  expect((await app.http.inject('/metrics')).statusCode).toBe(401);
});
