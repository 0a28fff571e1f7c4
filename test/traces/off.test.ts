/** The cost of traces for the real program: nothing is loaded and nothing is sent unless the variable is set. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startServer } from '../black-box/server.ts';
import { openCollector } from '../stages/collector.ts';

/** Notes each file of the SDK that is loaded. Its interface does not count: prom-client loads that one too. */
const WATCH = `data:text/javascript,${encodeURIComponent(`
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) {
  if (/@opentelemetry.(?!api)/.test(url)) appendFileSync(process.env.SLUICE_TEST_LOADED, url + '\\n');
  return next(url, context);
} });`)}`;

/** Starts the program, pushes one event, stops it, and answers which files of the SDK it has loaded. */
async function filesLoaded(variables: Record<string, string>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-loaded-'));
  const list = join(folder, 'loaded');
  await using server = await startServer({
    NODE_OPTIONS: `--import ${WATCH}`,
    SLUICE_TEST_LOADED: list,
    ...variables,
  });
  expect((await server.push('x', [{ data: { id: '1', text: 'storm' } }])).status).toBe(200);
  expect(await server.end('SIGTERM')).toMatchObject({ code: 0 });
  const files = existsSync(list) ? readFileSync(list, 'utf8').trim().split('\n') : [];
  rmSync(folder, { recursive: true });
  return files;
}

describe('the program', () => {
  it('loads nothing of the SDK without the variable', async () => {
    expect(await filesLoaded({})).toEqual([]);
  });

  it('loads it with the variable, and has sent its traces when it ends', async () => {
    await using collector = await openCollector();
    const files = await filesLoaded({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    });
    expect(files.length).toBeGreaterThan(10);
    expect(collector.headers[0]).toMatchObject({ 'content-encoding': 'gzip' });
    expect(collector.spans.map(({ name }) => name)).toEqual(['commit x', 'process x', 'POST /events']);
    expect(collector.resources[0]).toMatchObject({ 'service.name': 'sluice' });
  });
});
