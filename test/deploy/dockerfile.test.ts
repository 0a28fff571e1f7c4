/** The Dockerfile: what its usual linter would find, and that all it copies is there and goes to the builder. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { instructions } from './dockerfile.ts';
import { DEPLOY, expectKnown, ROOT } from './settings.ts';

const named = (name: string) => instructions.filter((one) => one.name === name);
const last = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
const KNOWN = 'ARG FROM LABEL ENV WORKDIR COPY RUN USER VOLUME EXPOSE STOPSIGNAL HEALTHCHECK ENTRYPOINT CMD'.split(' ');

/** The paths that are copied out of the project, not out of another stage. */
const copied = named('COPY')
  .filter(({ text }) => !text.startsWith('--'))
  .flatMap(({ words }) => words.slice(0, -1));

describe('Dockerfile', () => {
  it('has only instructions that there are', () => {
    for (const { name } of instructions) expect(KNOWN).toContain(name);
  });

  it('starts from the official Node, of the version that the program needs, and says which', () => {
    const least = /const LEAST = (\d+);/.exec(readFileSync(join(ROOT, 'bin/sluice.mjs'), 'utf8'))![1];
    expect(named('ARG').map(({ text }) => text)).toEqual([expect.stringMatching(`^NODE=${least}-\\w+-slim$`)]);
    for (const { text } of named('FROM')) expect(text).toMatch(/^node:\$\{NODE\}( AS \w+)?$/);
  });

  it('copies what is there, and from stages that there are', () => {
    for (const path of copied) expect(existsSync(join(ROOT, path)), path).toBe(true);
    const stages = named('FROM').flatMap(({ words }) => words.slice(2));
    const taken = named('COPY').flatMap(({ words }) => /^--from=(\w+)$/.exec(words[0]!)?.[1] ?? []);
    expect(stages).toEqual(expect.arrayContaining(taken));
  });

  it('sends to the builder all that it copies, and nothing that was installed or built', () => {
    const lines = readFileSync(join(DEPLOY, 'Dockerfile.dockerignore'), 'utf8').split('\n');
    const sent = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    for (const path of copied) expect(sent).toContain(path.split('/')[0]);
    for (const path of sent) expect(existsSync(join(ROOT, path)), path).toBe(true);
    expect(lines).toEqual(expect.arrayContaining(['*', '**/node_modules', '**/dist']));
  });

  it('runs in absolute folders, as a user without rights, without a shell in between', () => {
    for (const { text } of named('WORKDIR')) expect(text).toMatch(/^\//);
    expect(last.findLast(({ name }) => name === 'USER')?.text).toBe('node');
    for (const { text } of last.filter(({ name }) => name === 'ENTRYPOINT' || name === 'CMD'))
      expect(JSON.parse(text)).toEqual(expect.any(Array));
    const check = last.find(({ name }) => name === 'HEALTHCHECK')!.text;
    expect(JSON.parse(check.slice(check.indexOf('CMD') + 3))).toEqual([
      'node',
      '-e',
      expect.stringContaining('/readyz'),
    ]);
  });

  it('sets only what the program knows', () => {
    const set = last
      .filter(({ name }) => name === 'ENV')
      .flatMap(({ words }) => words.map((word) => word.split('=')[0]!));
    expect(set).toContain('SLUICE_DATA_DIR');
    expectKnown(set);
  });
});
