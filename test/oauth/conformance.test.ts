/** The protocol's own judge of authorization servers: the scenarios of its conformance suite, from metadata to a token. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { environment } from '../black-box/server.ts';
import { freePort } from '../stages/free-port.ts';
import { serve } from './served.ts';

/** The release that has these scenarios. The server scenarios are judged by the one before. */
const SUITE = resolve(import.meta.dirname, '../../node_modules/conformance-authorization/dist/index.js');

it('passes the authorization scenarios of the conformance suite', async () => {
  await using served = await serve();
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'sluice-authorization-'));
  const registered = await fetch(`${served.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Suite', redirect_uris: [`http://127.0.0.1:${port}/callback`] }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const options = ['--url', served.url, '--client-id', client_id, '--resource', `${served.url}/mcp`];
  const suite = spawn(process.execPath, [SUITE, 'authorization', ...options, '-p', String(port), '-o', folder], {
    env: environment({}),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  let allowed: Promise<unknown> | undefined;
  const read = (chunk: Buffer) => {
    printed += chunk.toString();
    const asked = /(http:\/\/127\.0\.0\.1:\d+\/oauth\/authorize\?\S+)\s/.exec(printed)?.[1];
    // The suite waits for the browser of a person who allows it.
    if (asked !== undefined) allowed ??= served.allow(new URL(asked)).then((answer) => fetch(answer));
  };
  suite.stdout.on('data', read);
  suite.stderr.on('data', read);
  const code = await new Promise<number | null>((done) => suite.once('close', done));
  await allowed;
  rmSync(folder, { recursive: true, force: true });
  expect(printed).toContain('authorization-server-metadata-endpoint');
  expect(printed).toContain('authorization-code-grant');
  expect([code, allowed !== undefined], printed).toEqual([0, true]);
});
