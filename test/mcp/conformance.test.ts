/** The protocol's own judges: the conformance suite's server scenarios, and the Inspector from the command line. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOOLS } from '../../src/mcp/tools.ts';
import { PROGRAM } from '../black-box/program.ts';
import { environment, KEY, type Started, startServer } from '../black-box/server.ts';

const MODULES = resolve(import.meta.dirname, '../../node_modules');
/** By its path: a later release, for authorization servers, has the same command. */
const SUITE = join(MODULES, '@modelcontextprotocol/conformance/dist/index.js');

const FIXTURE = 'asks for a tool, prompt or resource of the suite’s own example server';
const STATELESS = 'the older revisions tell of changes on a session’s stream, and we keep no sessions';

/** Scenarios that do not apply, and why. A scenario that is not here must pass. */
const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  'logging-set-level': 'we do not declare logging, which the newest revision does away with',
  'completion-complete': FIXTURE,
  'tools-call-simple-text': FIXTURE,
  'tools-call-image': FIXTURE,
  'tools-call-audio': FIXTURE,
  'tools-call-embedded-resource': FIXTURE,
  'tools-call-mixed-content': FIXTURE,
  'tools-call-with-logging': FIXTURE,
  'tools-call-error': FIXTURE,
  'tools-call-with-progress': FIXTURE,
  'tools-call-sampling': FIXTURE,
  'tools-call-elicitation': FIXTURE,
  'json-schema-2020-12': FIXTURE,
  'elicitation-sep1034-defaults': FIXTURE,
  'elicitation-sep1330-enums': FIXTURE,
  'resources-read-text': FIXTURE,
  'resources-read-binary': FIXTURE,
  'resources-templates-read': FIXTURE,
  'resources-subscribe': STATELESS,
  'resources-unsubscribe': STATELESS,
  'prompts-get-simple': FIXTURE,
  'prompts-get-with-args': FIXTURE,
  'prompts-get-embedded-resource': FIXTURE,
  'prompts-get-with-image': FIXTURE,
};

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

describe('the conformance suite', () => {
  let server: Started;
  let proxy: Server;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-conformance-'));
  const results = new Map<string, readonly Check[]>();

  beforeAll(async () => {
    server = await startServer();
    proxy = await withKey(server.url);
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
    await run(process.execPath, [SUITE, 'server', '--url', url, '--suite', 'all', '--output-dir', folder]);
    for (const name of readdirSync(folder)) {
      const scenario = /^server-(.*)-\d{4}-\d\d-\d\dT/.exec(name)?.[1];
      if (scenario === undefined) continue;
      results.set(scenario, JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as Check[]);
    }
  });
  afterAll(async () => {
    proxy.closeAllConnections();
    proxy.close();
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('passes wherever a scenario applies', () => {
    const failed = [...results].filter(([, checks]) => checks.some(({ status }) => status === 'FAILURE'));
    const unexpected = failed.filter(([name]) => NOT_APPLICABLE[name] === undefined);
    expect(unexpected).toEqual([]);
  });

  it.each(['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection'])(
    'passes %s',
    (scenario) => {
      const checks = results.get(scenario) ?? [];
      expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThan(0);
      expect(checks.filter(({ status }) => status === 'FAILURE')).toEqual([]);
    },
  );

  it('leaves out only scenarios that there are, and that do fail', () => {
    for (const name of Object.keys(NOT_APPLICABLE)) {
      expect(
        results.get(name)?.some(({ status }) => status === 'FAILURE'),
        name,
      ).toBe(true);
    }
  });
});

describe('the Inspector', () => {
  let server: Started;
  const home = mkdtempSync(join(tmpdir(), 'sluice-inspector-'));
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
  });
  const inspect = async (target: readonly string[], args: readonly string[]) => {
    const { code, printed } = await run(join(MODULES, '.bin/mcp-inspector'), ['--cli', ...target, ...args], {
      HOME: home,
    });
    expect(code, printed).toBe(0);
    return JSON.parse(printed) as Record<string, unknown>;
  };
  const overHttp = () => [
    '--transport',
    'http',
    '--server-url',
    `${server.url}/mcp`,
    '--header',
    `Authorization: Bearer ${KEY}`,
  ];
  const overStdio = () => [process.execPath, PROGRAM, 'mcp', '-e', 'SLUICE_DEMO=off', '-e', 'SLUICE_LOG_LEVEL=error'];

  it('finds no fault in the schemas of the tools', async () => {
    const { tools } = await inspect(overHttp(), ['--method', 'tools/list', '--strict']);
    expect(tools).toHaveLength(TOOLS.length);
  });

  it('calls a tool, and reads resources and prompts', async () => {
    const called = await inspect(overHttp(), [
      '--method',
      'tools/call',
      '--tool-name',
      'check_rule',
      '--tool-arg',
      'overrides={"x":"volcano"}',
    ]);
    expect(called).toMatchObject({ content: [{ text: expect.stringContaining('"ready":true') }] });
    expect(await inspect(overHttp(), ['--method', 'resources/list'])).toMatchObject({ resources: { length: 3 } });
    expect(await inspect(overHttp(), ['--method', 'prompts/list'])).toMatchObject({ prompts: [{ name: 'watch_for' }] });
  });

  it('speaks with the program over standard input and output', async () => {
    const called = await inspect(overStdio(), ['--method', 'tools/call', '--tool-name', 'status']);
    expect(called).toMatchObject({ content: [{ text: expect.stringContaining('"name":"default"') }] });
  });
});

/** The suite brings no key of its own: everything else of a request is passed on as it came. */
async function withKey(url: string): Promise<Server> {
  const { port } = new URL(url);
  const proxy = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${KEY}` };
    const onward = request(
      { host: '127.0.0.1', port, path: incoming.url, method: incoming.method, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.once('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((ready) => proxy.listen(0, '127.0.0.1', ready));
  return proxy;
}

interface Ended {
  readonly code: number | null;
  readonly printed: string;
}

/** Whether it was content or not is for the caller to say: the suite also counts what does not apply. */
function run(command: string, args: readonly string[], settings: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(command, args, { env: environment(settings), stdio: ['ignore', 'pipe', 'pipe'] });
  let [printed, complaints] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    complaints += chunk.toString();
  });
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', (code) => (printed === '' ? fail(new Error(complaints)) : done({ code, printed })));
  });
}
