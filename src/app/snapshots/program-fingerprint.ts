/**
 * The fingerprint names everything that makes programs of rules: the code of this program, the Node that runs it with
 * its Unicode, and the settings that decide what a text means. With another fingerprint a text may be another program,
 * so nothing that was made is kept.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { join, relative } from 'node:path';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { languages } from '../../rules/languages.ts';
import type { Config } from '../config.ts';
import { VERSION } from '../version.ts';

const HERE = import.meta.dirname;
const SOURCE = join(HERE, '..', '..');
/** Everything between a rule's text and its program; the core is in there as WebAssembly. */
const FOLDERS = ['base', 'domain', 'engine', 'rules', 'service'];
const CODE = /(?<!\.test|\.d)\.(?:ts|js|wasm|bin)$/;

/** The settings that decide what a text means. */
export interface MeaningSettings {
  readonly xLevel: Config['xLevel'];
  /** The platforms that are real ones. */
  readonly real: readonly Platform[];
}

export const meaningOf = ({ xLevel, upstreams }: Pick<Config, 'xLevel' | 'upstreams'>): MeaningSettings => ({
  xLevel,
  real: PLATFORMS.filter((name) => upstreams[name] !== undefined),
});

/** With the real X, operators that only X can judge are left to X. */
export const languageOptions = ({ xLevel, real }: MeaningSettings) => ({ level: xLevel, local: !real.includes('x') });

export const languagesOf = (meaning: MeaningSettings): ReturnType<typeof languages> =>
  languages(languageOptions(meaning));

export function programFingerprint({ xLevel, real }: MeaningSettings): string {
  const summed = createHash('sha256');
  const { node, unicode } = process.versions;
  summed.update(JSON.stringify([VERSION, node, unicode, process.arch, endianness(), xLevel, real.toSorted()]));
  for (const path of codeFiles()) summed.update(relative(SOURCE, path)).update(readFileSync(path));
  return summed.digest('hex');
}

/** In a bundle there are no folders: all code stands in the files beside this one. */
function codeFiles(): string[] {
  const folders = existsSync(join(SOURCE, FOLDERS[0]!)) ? FOLDERS.map((name) => join(SOURCE, name)) : [HERE];
  return folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => CODE.test(name))
        .map((name) => join(folder, name)),
    )
    .toSorted();
}
