/** The pages on the client and the command line are held to what they describe. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from './black-box/cli.ts';
import { environment, KEY, type Started, startServer } from './black-box/server.ts';

const ROOT = resolve(import.meta.dirname, '..');
const page = (name: string): string => readFileSync(join(ROOT, 'docs', name), 'utf8');
const client = pathToFileURL(join(ROOT, 'src', 'client', 'index.ts')).href;

describe('docs/client.md', () => {
  const examples = [...page('client.md').matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code!);
  let server: Started;
  let folder: string;
  beforeAll(async () => {
    server = await startServer();
    folder = mkdtempSync(join(tmpdir(), 'sluice-docs-'));
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  it.each(examples.map((code, index) => [index + 1, code] as const))(
    'has an example %i that runs',
    async (index, code) => {
      const file = join(folder, `example-${index}.mts`);
      writeFileSync(file, code.replaceAll("'sluice/client'", `'${client}'`));
      const ended = await new Promise<string>((done) => {
        const child = spawn(process.execPath, [file], {
          env: environment({ SLUICE_URL: server.url, SLUICE_API_KEY: KEY }),
        });
        let output = '';
        for (const stream of [child.stdout, child.stderr])
          stream.on('data', (chunk: Buffer) => {
            output += chunk.toString();
          });
        child.once('close', (status) => done(`${status}\n${output}`));
      });
      expect(ended).toMatch(/^0\n./);
    },
  );
});

describe('docs/cli.md', () => {
  interface Place {
    readonly path: string;
    readonly commands: readonly unknown[];
    readonly options: readonly { readonly word: string }[];
  }
  let places: readonly Place[];
  beforeAll(async () => {
    places = JSON.parse((await run(['completion', 'bash', '--json'])).stdout) as Place[];
  });

  it('says of every command that it prints JSON, which is true', () => {
    const without = places.filter(
      ({ commands, options }) => commands.length === 0 && !options.some(({ word }) => word === '--json'),
    );
    // The tool server, an OPML file, and what an agent's own command prints.
    expect(without.map(({ path }) => path)).toEqual(['mcp', 'sources export', 'wakes run']);
  });

  it('names every command', () => {
    const commands = places
      .filter(({ commands: inside }) => inside.length === 0)
      .map(({ path }) => `\`sluice ${path}\``);
    expect(commands.filter((command) => !page('cli.md').includes(command))).toEqual([]);
    const named = [...page('cli.md').matchAll(/`sluice ([a-z ]+)`/g)].map(([, path]) => path!);
    expect(named.filter((path) => !places.some((place) => place.path === path))).toEqual([]);
  });
});
