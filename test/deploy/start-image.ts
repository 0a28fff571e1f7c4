/** Starts what the Dockerfile made, as a container would, and asks it how it is. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { until } from '../stages/receiver.ts';
import type { Image } from './dockerfile.ts';

const NODE = 'node';

/** Answers what List Rules says, after the health check of the image has passed; and how the process ended. */
export async function startImage({ root, env, command, healthcheck }: Image) {
  const settings = { ...env, SLUICE_HOST: '127.0.0.1', SLUICE_PORT: '0', SLUICE_DATA_DIR: `${root}/data` };
  const [program, ...words] = command;
  if (program !== NODE || healthcheck[0] !== NODE) throw new Error('The image does not start Node.');
  const key = 'image-test-key-0001';
  const child = spawn(process.execPath, words, {
    cwd: `${root}/app`,
    env: { PATH: '/usr/bin:/bin', ...settings, SLUICE_API_KEY: key },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    const url = await readyUrl(child.stdout);
    await until(async () => (await fetch(`${url}/readyz`)).ok);
    const checked = { PATH: '/usr/bin:/bin', SLUICE_PORT: new URL(url).port };
    execFileSync(process.execPath, healthcheck.slice(1), { env: checked });
    const [rules, page] = await Promise.all([
      fetch(`${url}/api.ListRules`, { headers: { authorization: `Bearer ${key}` } }),
      fetch(`${url}/`),
    ]);
    const answer = { rules: await rules.json(), console: page.headers.get('content-type') };
    child.kill('SIGTERM');
    const [code] = (await ended) as [number | null];
    return { ...answer, code };
  } finally {
    child.kill('SIGKILL');
  }
}

async function readyUrl(stdout: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stdout })) {
    const url = /^sluice: listening on (http:\/\/\S+)$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('The image ended before it was ready.');
}
