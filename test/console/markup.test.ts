/** Strangers' texts are shown as written: nothing of them runs, nothing is loaded for them, no policy is broken. */
import type { Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { legible } from '../../src/base/legible.ts';
import { hasSharedData, sharedJson } from '../stages/shared-data.ts';
import { openConsole, type Visit } from './browser.ts';
import { chromiumPath, useShared } from './visitors.ts';

describe.runIf(hasSharedData && chromiumPath !== undefined)('shared: markup in the console', () => {
  useShared(inject('server')!);
  it('is text and nothing else, in posts, pages, names, intents and addresses', async () => {
    const payloads = sharedJson<string[]>('security/markup-and-format-strings.json');
    await using visit = await openConsole();
    const { page, context, go, server } = visit;
    await storeAll(server, payloads);
    const dialogs: string[] = [];
    context.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });

    for (const path of ['/', '/rules', '/connect?to=webhook', '/settings', '/health']) {
      await go(path);
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    }
    // Many rows at a time.
    await page.setViewportSize({ width: 1280, height: 3_200 });
    await go('/matches?view=single&platform=x');
    const shown = await scrollThrough(page);
    for (const payload of payloads) expect(shown).toContain(payload.slice(0, SHOWN));
    await go('/matches?view=single&platform=firehose');
    await scrollThrough(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await openSome(page);
    expect(dialogs).toEqual([]);
    expect(visit.complaints).toEqual([]);
  });
});

/** So many characters of a long text are surely in its row. */
const SHOWN = 100;
const WEBHOOKS = 50;

async function storeAll(server: Visit['server'], payloads: readonly string[]): Promise<void> {
  const ask = async (path: string, body: object) => {
    const { status, text } = await server.call('POST', path, body);
    expect(status, text).toBe(200);
  };
  const rule = { name: 'All', intent: '', platforms: ['x', 'firehose'] };
  await ask('/api.CreateRule', { ...rule, overrides: { x: 'from:mara_quill', firehose: 'language:"en"' } });
  for (const payload of payloads) {
    const named = { name: nameOf(payload), intent: payload.slice(0, 2_000) };
    await ask('/api.CreateRule', { ...named, platforms: ['firehose'], overrides: { firehose: 'title:nothing' } });
  }
  for (const [at, payload] of payloads.slice(0, WEBHOOKS).entries()) {
    const query = encodeURIComponent(payload.slice(0, 200));
    await ask('/api.CreateWebhook', { url: `https://example.com/${at}?${query}`, description: nameOf(payload) });
    await ask('/api.CreateKey', { name: nameOf(payload), scope: 'read' });
  }
  await server.push('x', payloads.map(postOf));
  await server.push('firehose', payloads.map(pageOf));
}

/** Names have no characters that nobody can see. */
const nameOf = (payload: string): string => legible(payload).slice(0, 200);

const postOf = (text: string, at: number) => ({
  data: { id: String(at), text, author_id: '7', lang: text.slice(0, 64) },
  includes: { users: [{ id: '7', username: 'mara_quill', name: text }] },
});

/** Even the address may be anything. */
const pageOf = (text: string, at: number) => ({
  id: `page-${at}`,
  url: at % 2 === 0 ? `javascript:alert(${at})` : `https://example.com/${encodeURIComponent(text)}`,
  title: text,
  language: 'en',
  publish_time: text.slice(0, 64),
  diff: { chunks: [{ typ: 'ins', text }] },
});

interface Drawn {
  readonly rows: readonly { readonly place: number; readonly texts: readonly string[] }[];
  /** How many there are in all; -1 until the oldest are loaded. */
  readonly size: number;
}

const DRAWN = `(() => {
  const rows = [...document.querySelectorAll("article")];
  const place = (row) => Number(row.getAttribute("aria-posinset"));
  const texts = (row) => [...row.querySelectorAll("p")].map((one) => one.textContent);
  const size = Number(rows[0]?.getAttribute("aria-setsize") ?? -1);
  return { size, rows: rows.map((row) => ({ place: place(row), texts: texts(row) })) };
})()`;

/** Every row at least once; answers the beginnings of their texts. */
async function scrollThrough(page: Page): Promise<Set<string>> {
  const shown = new Set<string>();
  const places = new Set<number>();
  for (;;) {
    const { rows, size } = await page.evaluate<Drawn>(DRAWN);
    for (const { place, texts } of rows) {
      places.add(place);
      for (const text of texts) shown.add(text.slice(0, SHOWN));
    }
    if (places.size === size) return shown;
    // A row that was not drawn in time is met when it all begins again.
    await page.evaluate(`{
      const isEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
      if (isEnd && ${size} !== -1) scrollTo(0, 0); else scrollBy(0, innerHeight / 2);
    }`);
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  }
}

/** A few of them in full, from every side. */
async function openSome(page: Page): Promise<void> {
  await page.evaluate('scrollTo(0, 0)');
  await page.locator('article button[data-match]').first().click();
  for (let at = 0; at < 12; at++) {
    for (const tab of ['Why it matched', 'Payload', 'Page']) await page.getByRole('tab', { name: tab }).click();
    expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
    await page.locator('article button[data-match][aria-current]').focus();
    await page.keyboard.press('j');
  }
}
