/**
 * The console for as long as a person leaves it open: with very many rules, and with 50 matches a second. The page is never
 * busy for longer than 50 ms, and what it holds does not grow.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession } from 'playwright-core';
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
/** What a page still does after its heading is there. */
const OPENED_MS = 1_000;
/** A trace of all of it would be gigabytes. */
const TRACED_MS = 20_000;
const TRACED_EVERY = 5;

export async function consoleCampaign({ minutes = 30, rules = 10_000 }): Promise<boolean> {
  if (chromiumPath === undefined) throw new Error('There is no Chromium here; SLUICE_TEST_CHROMIUM says where one is.');
  await using parts = new AsyncDisposableStack();
  parts.defer(closeVisits);
  const visit = parts.use(await openConsole());
  await visit.go('/');
  const felt = await watchTasks(visit.page);
  const rulesWell = await manyRules(visit, rules, felt);
  return (await manyMatches(visit, minutes, felt)) && rulesWell;
}

type Felt = () => Promise<number[]>;

/** Says both clocks, and judges by the time that the page itself worked: the machine has other work, that of the server too. */
async function isWell(what: string, { page }: Visit, felt: Felt, work: () => Promise<unknown>): Promise<boolean> {
  await felt();
  const { longest, long } = await tasksDuring(page, work);
  console.log(
    `${what}: ${saidOf(long)}, the longest ${longest.toFixed(0)} ms of work. By the clock: ${saidOf(await felt())}.`,
  );
  return long.length === 0;
}

async function manyRules(visit: Visit, count: number, felt: Felt): Promise<boolean> {
  const { page, server, go } = visit;
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
  const areWell = [
    await isWell(`${count} rules listed and scrolled`, visit, felt, async () => {
      await go('/rules');
      await page.getByRole('link', { name: `Rule ${count}`, exact: true }).waitFor();
      for (let screen = 0; screen < 20; screen++) {
        await page.evaluate('scrollBy(0, innerHeight)');
        await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      }
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      await page.getByRole('link', { name: 'Rule 1', exact: true }).waitFor();
    }),
    await isWell('One searched and opened', visit, felt, async () => {
      await page.getByRole('searchbox').pressSequentially(`word${wanted}`, { delay: 60 });
      await page.getByRole('link', { name: `Rule ${wanted}`, exact: true }).click();
      await page.getByRole('heading', { name: `Rule ${wanted}`, level: 1 }).waitFor();
      await sleep(OPENED_MS);
    }),
  ];
  // The other pages know of all rules, too.
  for (const name of ['Home', 'Matches', 'Health', 'Rules'])
    areWell.push(
      await isWell(`${name} opened`, visit, felt, async () => {
        await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();
        await page.getByRole('heading', { name, level: 1 }).waitFor();
        await sleep(OPENED_MS);
      }),
    );
  return !areWell.includes(false);
}

async function manyMatches(visit: Visit, minutes: number, felt: Felt): Promise<boolean> {
  const { page, server, go } = visit;
  const rule = { name: 'Volcano news', intent: 'All of it.', platforms: ['x'], overrides: { x: 'volcano' } };
  await server.call('POST', '/api.CreateRule', rule);
  await go('/matches?view=single');
  await page.reload();
  await pushPosts(server, 0, MATCHES_PER_SECOND);
  await page.locator('article').first().waitFor();
  const session = await page.context().newCDPSession(page);
  const heap: number[] = [];
  const areWell: boolean[] = [];
  let sent = MATCHES_PER_SECOND;
  const push = async (milliseconds: number) => {
    sent = await pushFor(milliseconds, sent, (from, count) => pushPosts(server, from, count));
  };
  for (let sample = 0; sample < SAMPLES; sample++) {
    await push((minutes * 60_000) / SAMPLES);
    if (sample % TRACED_EVERY === TRACED_EVERY - 1)
      areWell.push(
        await isWell(`${sent} matches`, visit, felt, async () => {
          await push(TRACED_MS);
          await page.locator('article', { hasText: `volcano number ${sent - 1} ` }).waitFor();
        }),
      );
    heap.push(await heapOf(session));
  }
  const { growth, noise } = trendOf(heap.slice(WARM_UP));
  const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(2);
  console.log(`Heap after collection, MiB: ${heap.map(mib).join(' ')}. Growth ${mib(growth)}, noise ${mib(noise)}.`);
  return !areWell.includes(false) && growth <= Math.max(noise, 2 ** 20);
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
