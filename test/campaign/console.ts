/**
 * The console for as long as a person leaves it open: with very many rules, and with 50 matches a second. The page is never
 * busy for longer than 50 ms, and what it holds does not grow.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright-core';
import { pushPosts } from '../../bench/console.ts';
import { openConsole, type Visit } from '../console/browser.ts';
import { chromiumPath, closeVisits } from '../console/visitors.ts';
import { saidOf, tasksDuring, watchTasks } from './page-tasks.ts';
import { trendOf } from './trend.ts';

const MATCHES_PER_SECOND = 50;
/** Between two pushes, in milliseconds. */
const BEAT = 100;
const AT_ONCE = 50;
const SAMPLES = 15;
/** The first third is of a page whose list and caches still fill. */
const WARM_UP = 5;
const REST_SECONDS = 20;
/** A trace of all of it would be gigabytes. */
const TRACED_MS = 20_000;

export async function consoleCampaign({ minutes = 30, rules = 10_000 }): Promise<boolean> {
  if (chromiumPath === undefined) throw new Error('There is no Chromium here; SLUICE_TEST_CHROMIUM says where one is.');
  await using parts = new AsyncDisposableStack();
  parts.defer(closeVisits);
  const visit = parts.use(await openConsole());
  await visit.go('/');
  const busy = await watchTasks(visit.page);
  const before = await atRest(busy);
  const rulesWorked = await manyRules(visit, rules, busy);
  const matchesWorked = await manyMatches(visit, minutes, busy);
  const after = await atRest(busy);
  const isQuiet = before && after;
  if (!isQuiet) console.log('The machine was busy, so the time that the page itself worked decides.');
  return rulesWorked(isQuiet) && matchesWorked(isQuiet);
}

type Busy = () => Promise<number[]>;
/** Whether all was well, on a machine where nothing but the page makes its tasks long, or on another. */
type Verdict = (isQuiet: boolean) => boolean;

/** Whether a page that does nothing has no long task. */
async function atRest(busy: Busy): Promise<boolean> {
  await busy();
  await sleep(REST_SECONDS * 1_000);
  const tasks = await busy();
  console.log(`At rest, ${REST_SECONDS} s: ${saidOf(tasks)}.`);
  return tasks.length === 0;
}

async function manyRules({ page, server, go }: Visit, count: number, busy: Busy): Promise<Verdict> {
  const create = (n: number) =>
    server.call('POST', '/api.CreateRule', {
      name: `Rule ${n}`,
      intent: `About word${n}`,
      platforms: ['firehose'],
      overrides: { firehose: `word${n}` },
    });
  for (let from = 0; from < count; from += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => create(from + n + 1)));
  const wanted = Math.ceil(count / 2);
  // The start of the program is over before the rules are asked for.
  await go('/settings');
  await page.reload();
  await page.getByText('this session', { exact: true }).waitFor();
  await busy();
  const worked = await tasksDuring(page, async () => {
    await go('/rules');
    await page.getByRole('link', { name: `Rule ${count}`, exact: true }).waitFor();
    console.log(`${count} rules are listed: ${saidOf(await busy())}.`);
    for (let screen = 0; screen < 20; screen++) {
      await page.evaluate('scrollBy(0, innerHeight)');
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    }
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await page.getByRole('link', { name: 'Rule 1', exact: true }).waitFor();
    await page.getByRole('searchbox').pressSequentially(`word${wanted}`, { delay: 60 });
    await page.getByRole('link', { name: `Rule ${wanted}`, exact: true }).click();
    await page.getByRole('heading', { name: `Rule ${wanted}`, level: 1 }).waitFor();
  });
  const felt = await busy();
  console.log(`Scrolled, searched, opened: ${saidOf(felt)}. By the page's own work: ${saidOf(worked)}.`);
  const visited = await eachPage(page, busy);
  return (isQuiet) => (isQuiet ? felt : worked).length === 0 && visited(isQuiet);
}

/** The other pages, which know of all rules, too. */
async function eachPage(page: Page, busy: Busy): Promise<Verdict> {
  const all = { felt: 0, worked: 0 };
  for (const name of ['Home', 'Matches', 'Health', 'Rules']) {
    const worked = await tasksDuring(page, async () => {
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      await sleep(1_000);
    });
    const felt = await busy();
    console.log(`${name} opened: ${saidOf(felt)}. By the page's own work: ${saidOf(worked)}.`);
    all.felt += felt.length;
    all.worked += worked.length;
  }
  return (isQuiet) => (isQuiet ? all.felt : all.worked) === 0;
}

async function manyMatches({ page, server, go }: Visit, minutes: number, busy: Busy): Promise<Verdict> {
  const rule = { name: 'Volcano news', intent: 'All of it.', platforms: ['x'], overrides: { x: 'volcano' } };
  await server.call('POST', '/api.CreateRule', rule);
  await go('/matches?view=single');
  await page.reload();
  await pushPosts(server, 0, MATCHES_PER_SECOND);
  await page.locator('article').first().waitFor();
  await busy();
  const session = await page.context().newCDPSession(page);
  const heap: number[] = [];
  const tasks: number[] = [];
  let sent = MATCHES_PER_SECOND;
  for (let sample = 0; sample < SAMPLES; sample++) {
    sent = await pushFor((minutes * 60_000) / SAMPLES, sent, (from, count) => pushPosts(server, from, count));
    tasks.push(...(await busy()));
    heap.push(await heapOf(session));
    // The tasks of the collection itself are not the page's.
    await busy();
  }
  const worked = await tasksDuring(page, async () => {
    sent = await pushFor(TRACED_MS, sent, (from, count) => pushPosts(server, from, count));
    await page.locator('article', { hasText: `volcano number ${sent - 1} ` }).waitFor();
  });
  const { growth, noise } = trendOf(heap.slice(WARM_UP));
  const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(2);
  console.log(
    `${sent} matches in ${minutes} min: ${saidOf(tasks)}. By the page's own work, in 20 s: ${saidOf(worked)}.`,
  );
  console.log(`Heap after collection, MiB: ${heap.map(mib).join(' ')}. Growth ${mib(growth)}, noise ${mib(noise)}.`);
  return (isQuiet) => (isQuiet ? tasks : worked).length === 0 && growth <= Math.max(noise, 2 ** 20);
}

/** Answers the number of the next post. */
async function pushFor(milliseconds: number, from: number, send: (from: number, count: number) => Promise<unknown>) {
  const count = (MATCHES_PER_SECOND * BEAT) / 1_000;
  let next = from;
  for (const end = performance.now() + milliseconds; performance.now() < end; next += count) {
    const due = performance.now() + BEAT;
    await send(next, count);
    await sleep(Math.max(0, due - performance.now()));
  }
  return next;
}

async function heapOf(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize;
}
