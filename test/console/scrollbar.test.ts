/** A scrollbar that takes room: the page does not jump for a dialog, and no strip beside it stays bright. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { signIn } from './browser.ts';
import { consoleSuite } from './suite.ts';
import { newVisitor, openBrowserWithScrollbars } from './visitors.ts';

const VIEW = { width: 1280, height: 500 };

consoleSuite('a scrollbar', () => {
  it('leaves no bright strip beside a dialog, and the page where it was', async () => {
    const { server, key } = await newVisitor();
    const browser = await openBrowserWithScrollbars();
    await using parts = new AsyncDisposableStack();
    parts.defer(() => browser.close());
    const context = await browser.newContext({ viewport: VIEW, colorScheme: 'light', reducedMotion: 'reduce' });
    const page = await context.newPage();
    await page.goto(`${server.url}/#/settings`);
    await signIn(page, key);
    await page.getByText('this session', { exact: true }).waitFor();
    const widths = () => page.evaluate<number[]>('[innerWidth, document.documentElement.clientWidth]');
    const [whole, inner] = await widths();
    // Else the test would show nothing.
    expect(whole! - inner!).toBeGreaterThan(0);
    const headingAt = () => page.locator('h1').boundingBox();
    const before = await headingAt();

    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('dialog').waitFor();
    expect((await headingAt())?.x).toBe(before?.x);
    const beside = await colourAt(page, inner! - 8);
    const edge = await colourAt(page, whole! - 4);
    // The browser blends the one and mixes the other, which may round differently.
    for (const [at, part] of beside.entries()) expect(Math.abs(edge[at]! - part)).toBeLessThanOrEqual(2);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await colourAt(page, inner! - 8))[0]).toBeGreaterThan(beside[0]! + 50);
  });
});

/** Red, green and blue of the picture of the page, near its top. */
async function colourAt(page: Page, x: number): Promise<number[]> {
  const picture = await page.screenshot({ clip: { x, y: 4, width: 2, height: 2 } });
  // A page without a policy reads it.
  const reader = await page.context().newPage();
  const colour = await reader.evaluate<number[]>(`(async () => {
    const bitmap = await createImageBitmap(await (await fetch('data:image/png;base64,${picture.toString('base64')}')).blob());
    const canvas = new OffscreenCanvas(2, 2).getContext('2d');
    canvas.drawImage(bitmap, 0, 0);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  })()`);
  await reader.close();
  return colour;
}
