/**
 * `npm run screenshots [-- NAME…] [--to FOLDER]`: every page of the console, light and dark, wide and narrow, as a picture in
 * `docs/images`; in another folder also at the width of a tablet. What is shown is made up: the events are those of the demo
 * feed, over a day and a half.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { startServer } from '../test/black-box/server.ts';
import { openConsole } from '../test/console/browser.ts';
import { eventsOf, playPast } from '../test/console/past.ts';
import { closeVisits } from '../test/console/visitors.ts';
import { openReceiver } from '../test/stages/receiver.ts';
import { openWeb, rss } from '../test/stages/web.ts';

interface Shot {
  readonly name: string;
  readonly path: string;
  /** The heading by which it is known that the page is there. */
  readonly title: string;
  /** Something to do before the picture is taken. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  readonly signedIn?: boolean;
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { to: { type: 'string' } } });
const folder = resolve(values.to ?? join(import.meta.dirname, '../docs/images'));
mkdirSync(folder, { recursive: true });

const SIZES = {
  wide: { width: 1280, height: 800 },
  medium: { width: 800, height: 900 },
  narrow: { width: 380, height: 760 },
};
const SCHEMES = ['light', 'dark'] as const;
/** The receiver takes its time, so that there is a latency to show. */
const ANSWER_MS = 3;

await using refusing = await openReceiver((response) => void response.writeHead(500).end('out of order'));
await using taking = await openReceiver((response) => void setTimeout(() => response.end('ok'), ANSWER_MS));
const dataDir = mkdtempSync(join(tmpdir(), 'sluice-pictures-'));
const { ruleId, webhookId } = await playPast(dataDir, { refusing: refusing.url, taking: taking.url });
await using web = await openWeb(({ path }) =>
  path === '/bulletins'
    ? rss(['Ash to 4 km over the north crater', 'Lava reaches the sea'])
    : { headers: { 'content-type': 'text/html' }, body: '<title>Ferries</title><p>All ferries are on time.</p>' },
);
const config = join(dataDir, 'sluice.yaml');
writeFileSync(
  config,
  `sources:
  - { kind: feeds, name: observatories, allow_private: true, urls: [${web.url('localhost', '/bulletins')}] }
  - { kind: watch, name: harbour, allow_private: true, urls: [${web.url('localhost', '/ferries')}] }
`,
);
await using server = await startServer({ SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on', SLUICE_CONFIG: config }, dataDir);

const openFirstMatch = async (page: Page) => {
  await page
    .getByRole('button', { name: /Open the match of .*Volcano watch/ })
    .first()
    .click();
  await page.getByRole('tab', { name: 'Why it matched' }).click();
};

const SHOTS: readonly Shot[] = [
  { name: 'sign-in', path: '/', title: 'Sign in to Sluice', signedIn: false },
  { name: 'home', path: '/', title: 'Home' },
  { name: 'matches', path: '/matches', title: 'Matches' },
  { name: 'match', path: '/matches?view=single', title: 'Matches', prepare: openFirstMatch },
  { name: 'rules', path: '/rules', title: 'Rules' },
  { name: 'rule-matches', path: `/rules/${ruleId}`, title: 'Volcano watch' },
  { name: 'rule', path: `/rules/${ruleId}?tab=edit`, title: 'Volcano watch' },
  { name: 'rule-insights', path: `/rules/${ruleId}?tab=insights`, title: 'Volcano watch' },
  { name: 'rule-deliver', path: `/rules/${ruleId}?tab=deliver`, title: 'Volcano watch' },
  { name: 'rule-history', path: `/rules/${ruleId}?tab=history`, title: 'Volcano watch' },
  { name: 'rule-begin', path: '/rules/new?about=Tell%20me%20when%20a%20volcano%20erupts', title: 'New rule' },
  { name: 'rule-new', path: '/rules/write', title: 'New rule' },
  { name: 'connect', path: '/connect', title: 'Connect' },
  { name: 'webhooks', path: '/connect?to=webhook', title: 'Connect' },
  { name: 'webhook', path: `/connect/${webhookId}`, title: 'Newsroom' },
  { name: 'sources', path: '/sources', title: 'Sources' },
  { name: 'timeline', path: '/timeline', title: 'Timeline' },
  { name: 'health', path: '/health', title: 'Health' },
  { name: 'settings', path: '/settings', title: 'Settings' },
];

const wanted = SHOTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
for (const colorScheme of SCHEMES) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    if (size === 'medium' && values.to === undefined) continue;
    for (const signedIn of [false, true]) {
      const shots = wanted.filter((shot) => (shot.signedIn ?? true) === signedIn);
      if (shots.length === 0) continue;
      await using visit = await openConsole({ server, colorScheme, viewport, signedIn, isMobile: size === 'narrow' });
      for (const { name, path, title, prepare } of shots) {
        const now = eventsOf(1, new Date());
        await Promise.all([server.push('x', now.x), server.push('firehose', now.firehose)]);
        await visit.go(path);
        await visit.page.getByRole('heading', { name: title, level: 1 }).waitFor();
        await prepare?.(visit.page);
        await settle(visit.page);
        await visit.page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`) });
      }
      for (const complaint of visit.complaints) console.error(`${size} ${colorScheme}: ${complaint}`);
    }
  }
}
await closeVisits();

/** Nothing is loading any more, charts are drawn, and nothing is under the pointer. */
async function settle(page: Page): Promise<void> {
  await page.mouse.move(0, 0);
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}
