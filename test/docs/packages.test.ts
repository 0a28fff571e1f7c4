/**
 * Nothing that a reader or a program would copy runs a package by a name that this project does not own: whoever holds
 * that name in a registry would run on the reader's machine, with a key in the environment.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { agentSnippets } from '../../console/src/agents/snippets.ts';
import { llmsText } from '../../src/http/llms.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
/** The name is set here and nowhere else. It is ours to run by name only when it has a scope. */
const { name: OWN, peerDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  name: string;
  peerDependencies: Record<string, string>;
};
/** Clients that an operator adds, at the exact version that package.json has. */
const ADDED = Object.entries(peerDependencies).map(([name, version]) => `${name}@${version}`);

/** Programs that fetch a package by its name and run it. */
const RUNNERS =
  /\b(?:npx|bunx|pnpx|uvx|(?:npm|pnpm|yarn) (?:exec|x|dlx|create|init)|pipx run)((?: +-[^\s`]+)*) +([^\s`"',)]+)/g;
/** Such programs in the configuration of another one, where the name is the next argument. */
const AS_COMMAND = /["'](?:npx|bunx|pnpx|uvx|pipx)["']/g;
const INSTALLS =
  /\b(?:npm (?:install|i|add)|(?:pnpm|yarn) add|pip install)((?: +-[^\s`]+)*) +([^\s`"',)-][^\s`"',)]*)/g;

const isPath = (name: string): boolean => /^(?:\.{0,2}\/|node_modules\/|<|\$)/.test(name);
const isOurs = (name: string): boolean =>
  isPath(name) || ADDED.includes(name) || (OWN.startsWith('@') && name.split(/@(?!.*\/)/)[0] === OWN);

/** The commands that run a package that is not ours. */
function strangersIn(text: string): string[] {
  const named = [...text.matchAll(RUNNERS), ...text.matchAll(INSTALLS)];
  const strangers = named.filter(([, , name]) => !isOurs(name!)).map(([whole]) => whole);
  return [...strangers, ...[...text.matchAll(AS_COMMAND)].map(([whole]) => whole)];
}

/** Everything but the tests, which run nothing that a reader copies, and what lists dependencies. */
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: ROOT, encoding: 'utf8' })
  .split('\0')
  .filter((path) => /\.(?:md|tsx?|mjs|json|ya?ml|service|toml|txt|html)$|Dockerfile/.test(path))
  .filter((path) => !/^(?:test|bench)\/|package-lock\.json$|\.test\.ts$/.test(path));

it.each(files)('%s runs no package of a stranger', (path) => {
  expect(strangersIn(readFileSync(join(ROOT, path), 'utf8'))).toEqual([]);
});

it('llms.txt and the snippets run none either', () => {
  const place = { url: 'https://sluice.example/mcp', key: 'sk_…', program: '/path/to/sluice/bin/sluice.mjs' };
  expect(strangersIn(llmsText('https://sluice.example'))).toEqual([]);
  expect(agentSnippets(place).flatMap(({ text }) => strangersIn(text))).toEqual([]);
});

it.each([
  'npx sluice mcp',
  'npx -y sluice@latest mcp',
  '"command": "npx"',
  'npm install --global sluice',
  'bunx sluice',
  'npm exec sluice',
  'uvx sluice',
  'npm install pg',
  'npm install pg@latest',
])('%s would be found', (text) => {
  expect(strangersIn(text)).not.toEqual([]);
});

it.each([
  'npm install --global ./sluice-*.tgz',
  'node bin/sluice.mjs check',
  'npm ci',
  'node_modules/.bin/vitest run',
  'npm install pg@8.23.1',
])('%s is allowed', (text) => {
  expect(strangersIn(text)).toEqual([]);
});
