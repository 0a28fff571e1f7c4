/**
 * A day and a half of an account that is in use, played on a virtual clock that ends at the present: charts and the timeline
 * have something to show. It is left in a folder for a server that goes on with it.
 */
import { loadConfig } from '../../src/app/config.ts';
import { createLog } from '../../src/app/log.ts';
import { start } from '../../src/app/start.ts';
import type { Platform } from '../../src/domain/platform.ts';
import { demoEvent } from '../../src/sources/kinds/demo.ts';
import { callServer, KEY, pushTo } from '../black-box/server.ts';
import { type FakeClock, fakeClock } from '../stages/fake-clock.ts';
import { type Furnished, furnish } from './furnished.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const LENGTH = 36 * HOUR;
const STEP = 10 * MINUTE;
/** How long ago a rule was changed: what that did is known. */
const CHANGED_BEFORE = 6 * HOUR;
const SECOND_VERSION = { x: '(volcano OR lava OR eruption) lang:en -is:retweet' };

interface Urls {
  readonly refusing: string;
  readonly taking: string;
}

export async function playPast(dataDir: string, urls: Urls, now = Date.now()): Promise<Furnished> {
  const clock = fakeClock(new Date(now - LENGTH).toISOString());
  const config = loadConfig({
    SLUICE_PORT: '0',
    SLUICE_DATA_DIR: dataDir,
    SLUICE_API_KEY: KEY,
    SLUICE_DEMO: 'off',
    SLUICE_RATE_LIMIT: 'off',
    SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on',
  });
  const running = await start(config, { log: createLog({ level: 'silent', terminal: false }), clock });
  await whilePassing(clock, running.loaded);
  const { url } = running;
  const ask = <Answer>(asked: Promise<Answer>) => whilePassing(clock, asked);
  const furnished = await furnish({ call: (...asked) => ask(callServer(url, ...asked)) }, urls);
  const steps = LENGTH / STEP;
  for (let step = 0; step < steps; step++) {
    const { x, firehose } = eventsOf(volumeAt(clock.now()), clock.now());
    await ask(pushTo(url, 'x', x));
    await ask(pushTo(url, 'firehose', firehose));
    if (step === steps - CHANGED_BEFORE / STEP)
      await ask(callServer(url, 'POST', '/api.UpdateRule', { rule_id: furnished.ruleId, overrides: SECOND_VERSION }));
    await letDeliver(clock);
    await clock.pass(STEP - DELIVERY);
  }
  await ask(running.stop());
  return furnished;
}

let turn = 0;

/** The next events of the demo feed, as if a program had sent them in. */
export function eventsOf(count: number, now: Date): Record<Platform, unknown[]> {
  const events: Record<Platform, unknown[]> = { x: [], firehose: [] };
  for (let left = count; left > 0; left--) {
    const { platform, payload } = demoEvent(turn++, now);
    events[platform].push({ ...payload, demo: undefined });
  }
  return events;
}

/** Events in ten minutes: more by day than by night. */
function volumeAt(now: Date): number {
  const hour = now.getHours() + now.getMinutes() / 60;
  return Math.round(9 - 7 * Math.cos(((hour - 3) / 24) * 2 * Math.PI));
}

/** What the server is asked for may wait for time to pass. */
async function whilePassing<Answer>(clock: FakeClock, asked: Promise<Answer>): Promise<Answer> {
  let isOver = false;
  void asked.catch(() => {}).then(() => (isOver = true));
  while (!isOver) {
    await clock.pass(5);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return asked;
}

const DELIVERY = 6_000;

/** Requests go over real sockets: time passes only as fast as they do. */
async function letDeliver(clock: FakeClock): Promise<void> {
  for (let passed = 0; passed < DELIVERY; passed += 60) {
    await clock.pass(60);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
