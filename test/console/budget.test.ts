/** The first view is small: the script of the shell and of Home, as it goes over the wire. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const DIST = resolve(import.meta.dirname, '../../console/dist');
const MOST = 150_000;

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
}

function manifest(): Record<string, Chunk> {
  return JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;
}

/** A chunk with all that it needs at once. */
function needed(chunks: Record<string, Chunk>, name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const one of chunks[name]!.imports ?? []) needed(chunks, one, seen);
  return seen;
}

const sizeOf = (chunks: Record<string, Chunk>, names: Iterable<string>, suffix: 'gz' | 'br'): number =>
  [...new Set([...names].map((name) => chunks[name]!.file))]
    .filter((file) => file.endsWith('.js'))
    .reduce((sum, file) => sum + statSync(join(DIST, `${file}.${suffix}`)).size, 0);

describe('the built console', () => {
  it('has a first view of at most 150 kB of script, and with its charts as well', () => {
    const chunks = manifest();
    const home = needed(chunks, 'src/home/page.tsx', needed(chunks, 'index.html'));
    expect(sizeOf(chunks, home, 'gz')).toBeLessThanOrEqual(MOST);
    const lazily = [...home]
      .flatMap((name) => (name === 'index.html' ? [] : (chunks[name]!.dynamicImports ?? [])))
      .filter((name) => name.startsWith('src/chart/'));
    expect(lazily).not.toEqual([]);
    for (const name of lazily) needed(chunks, name, home);
    expect(sizeOf(chunks, home, 'br')).toBeLessThanOrEqual(MOST);
  });

  it('loads the editor only where something is edited', () => {
    const chunks = manifest();
    const editor = 'src/rules/code-editor.tsx';
    expect(chunks[editor]).toBeDefined();
    for (const page of ['index.html', 'src/home/page.tsx', 'src/matches/page.tsx', 'src/rules/list-page.tsx'])
      expect(needed(chunks, page)).not.toContain(editor);
  });

  it('names no other host, and has nothing inline', () => {
    const page = readFileSync(join(DIST, 'index.html'), 'utf8');
    expect(page).not.toMatch(/https?:|<style|style=|\son\w+=|<script(?![^>]*\ssrc=)/);
    for (const { file } of Object.values(manifest())) expect(existsSync(join(DIST, file))).toBe(true);
  });
});
