/**
 * `npm run confirm [-- --sandbox]`: asks X and Firehose about what their documents leave open. What they answer becomes test
 * cases in test/confirm. Without a token for X, or without a network, the sandbox is asked instead: that proves the
 * questions and nothing else, and no case is written.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts';
import { PLATFORMS, type Platform } from '../src/domain/platform.ts';
import { type Confirmed, confirm, reportOn } from './confirmation.ts';

const { values } = parseArgs({ options: { sandbox: { type: 'boolean', default: false } } });
const now = () => new Date();
const { SLUICE_X_BEARER_TOKEN: token, SLUICE_X_BASE_URL: x, SLUICE_FIREHOSE_BASE_URL: firehose } = process.env;
const URLS: Record<Platform, string> = {
  x: x ?? 'https://api.x.com',
  firehose: firehose ?? 'https://api.firehose.com',
};

for (const platform of PLATFORMS) {
  const reason = whyNot(platform);
  const confirmed = reason === undefined ? await askedOf(platform) : reason;
  if (typeof confirmed !== 'string') {
    const path = join(import.meta.dirname, '..', 'test', 'confirm', `${platform}.json`);
    writeFileSync(path, `${JSON.stringify(confirmed, undefined, 2)}\n`);
    for (const line of reportOn(platform, confirmed)) console.log(line);
    console.log(`  written to test/confirm/${platform}.json`);
    continue;
  }
  await using sandbox: Sandbox = await startSandbox({ limits: 'off' });
  console.log(
    `${platform} was not asked: ${confirmed}. The sandbox answers instead, and nothing is confirmed or written.`,
  );
  for (const line of reportOn(platform, await confirm(platform, { url: sandbox.url, token: 'any', now })))
    console.log(line);
}

function whyNot(platform: Platform): string | undefined {
  if (values.sandbox) return 'the sandbox was asked for';
  return platform === 'x' && token === undefined ? 'SLUICE_X_BEARER_TOKEN is not set' : undefined;
}

/** The answers, or why there are none. */
async function askedOf(platform: Platform): Promise<Confirmed | string> {
  try {
    return await confirm(platform, { url: URLS[platform], token, now });
  } catch (error) {
    const { message, cause } = error as Error;
    return cause instanceof Error ? `${message} (${cause.message})` : message;
  }
}
