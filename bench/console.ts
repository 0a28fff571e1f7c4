/**
 * The console as a reader feels it, in a real Chromium: how soon the first content is there, how much script that takes,
 * and how often the page is busy for longer than 50 ms while matches arrive.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { openConsole, type Visit } from '../test/console/browser.ts';
import { chromiumPath, closeVisits } from '../test/console/visitors.ts';

const MATCHES_PER_SECOND = 50;
/** Between two pushes, in milliseconds. */
const BEAT = 100;

interface ConsoleFigures {
  readonly first_contentful_paint_ms: { readonly median: number; readonly longest: number };
  readonly script_bytes_compressed: number;
  readonly matches_shown: number;
  /** Over 50 ms. Those of a page at rest, over as many seconds, are the machine's own. */
  readonly long_tasks: number;
  readonly long_tasks_at_rest: number;
  readonly longest_task_ms: number;
  /** CPU time of the page's thread, which says the same on a busy machine as on a quiet one. */
  readonly cpu_ms_per_second: number;
}

export async function benchConsole({ quick = false }: { quick?: boolean }): Promise<ConsoleFigures> {
  if (chromiumPath === undefined) throw new Error('There is no Chromium here; SLUICE_TEST_CHROMIUM says where one is.');
  await using parts = new AsyncDisposableStack();
  parts.defer(closeVisits);
  const visit = parts.use(await openConsole());
  const loads = await firstPaints(visit, quick ? 3 : 10);
  const script_bytes_compressed = await scriptBytes(visit.page);
  const live = await whileMatchesArrive(visit, quick ? 5 : 30);
  const sorted = loads.toSorted((a, b) => a - b);
  return {
    first_contentful_paint_ms: { median: sorted[Math.floor(sorted.length / 2)]!, longest: sorted.at(-1)! },
    script_bytes_compressed,
    ...live,
  };
}

/** Measures Home, with a session, each time with nothing kept from the time before. */
async function firstPaints({ page, server }: Visit, rounds: number): Promise<number[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  const paints: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await page.goto('about:blank');
    await page.goto(server.url);
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    const entry = 'performance.getEntriesByName("first-contentful-paint")[0].startTime';
    paints.push(Math.round(await page.evaluate<number>(entry)));
  }
  return paints;
}

/** The size of the scripts that the first view has loaded by now, charts included. */
const scriptBytes = (page: Page): Promise<number> =>
  page.evaluate<number>(
    'performance.getEntriesByType("resource").filter((one) => one.initiatorType === "script" || one.name.endsWith(".js")).reduce((sum, one) => sum + one.encodedBodySize, 0)',
  );

async function whileMatchesArrive({ page, server, go }: Visit, seconds: number) {
  await server.call('POST', '/api.CreateRule', {
    name: 'Volcano news',
    intent: 'All of it.',
    platforms: ['x'],
    overrides: { x: 'volcano' },
  });
  const cpuTime = await cpuClock(page);
  await go('/matches?view=single');
  await pushPosts(server, 0, MATCHES_PER_SECOND);
  await page.locator('article').first().waitFor();
  const watch = 'new PerformanceObserver((list) => { for (const one of list.getEntries()) busy.push(one.duration) })';
  await page.evaluate(`window.busy = []; ${watch}.observe({ type: "longtask" })`);
  await sleep(seconds * 1_000);
  const long_tasks_at_rest = (await page.evaluate<number[]>('busy.splice(0)')).length;
  const count = (MATCHES_PER_SECOND * BEAT) / 1_000;
  const cpuBefore = await cpuTime();
  let sent = MATCHES_PER_SECOND;
  for (const end = performance.now() + seconds * 1_000; performance.now() < end; sent += count) {
    const next = performance.now() + BEAT;
    await pushPosts(server, sent, count);
    await sleep(Math.max(0, next - performance.now()));
  }
  await page.locator('article', { hasText: `volcano number ${sent - 1} ` }).waitFor();
  const cpu = (await cpuTime()) - cpuBefore;
  const busy = await page.evaluate<number[]>('busy');
  return {
    matches_shown: sent,
    long_tasks: busy.length,
    long_tasks_at_rest,
    longest_task_ms: Math.round(Math.max(0, ...busy)),
    cpu_ms_per_second: Math.round(cpu / seconds),
  };
}

/** Milliseconds that the page's own thread has worked. */
async function cpuClock(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1_000 * metrics.find(({ name }) => name === 'TaskDuration')!.value;
  };
}

/** Posts of a usual length, one of them not like another. */
export function pushPosts(server: Visit['server'], from: number, count: number) {
  const posts = Array.from({ length: count }, (_, at) => ({
    data: {
      id: String(from + at + 1),
      text: `The volcano number ${from + at} is awake: ash over the eastern slope, lava near the old road, and everybody is looking at it from a safe distance. #volcano`,
      author_id: '7',
      lang: 'en',
    },
    includes: { users: [{ id: '7', username: 'mara_quill', name: 'Mara Quill' }] },
  }));
  return server.push('x', posts);
}
