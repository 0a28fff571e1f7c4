import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

describe('the console behind a proxy that serves it in a folder', () => {
  const asked: string[] = [];

  beforeEach(() => {
    asked.length = 0;
    // The module reads the address when it is loaded, so each test loads it again.
    vi.resetModules();
    vi.stubGlobal('location', new URL('https://example.com/sluice/?from=mail#/matches?text=lava'));
    vi.stubGlobal('fetch', async (url: string | URL | Request) => {
      asked.push(url instanceof Request ? url.url : String(url));
      return Response.json({ matches: [], latest_cursor: 'latest' });
    });
  });
  afterEach(() => void vi.unstubAllGlobals());

  it('asks that folder, for a single answer and for the live feed', async () => {
    const { client, watchedClient } = await import('./client.ts');
    await client.matches.list({});
    await watchedClient({ onTrouble: () => {}, onAnswer: () => {} }).matches.list({});
    expect(asked).toHaveLength(2);
    for (const url of asked) expect(url).toMatch(/^https:\/\/example\.com\/sluice\/matches\b/);
  });
});
