/** The Dockerfile as data, and its steps done without docker: each stage is a folder of its own, and starts empty. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import { DEPLOY, ROOT } from './settings.ts';

export interface Instruction {
  readonly name: string;
  readonly text: string;
  readonly words: readonly string[];
}

export const instructions: readonly Instruction[] = readFileSync(join(DEPLOY, 'Dockerfile'), 'utf8')
  .replaceAll(/^\s*#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [name = '', ...words] = line.trim().split(/\s+/);
    return { name, words, text: words.join(' ') };
  });

export interface Image {
  /** The folder that stands for `/`. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
}

/** With `linked` the packages of this checkout take the place of what `npm ci` would install. */
export type Packages = 'installed' | 'linked';

const ABSOLUTE = /^\//;
/** Words of a command that are folders of the image. */
const PLACES = /(^|\s)\/(data|app)\b/g;

export function buildImage(folder: string, packages: Packages): Image {
  let stage = { root: '', workdir: '' };
  let env: Record<string, string> = {};
  let command: string[] = [];
  let healthcheck: string[] = [];
  const places = new Map<string, string>();
  for (const { name, words, text } of instructions) {
    const at = (path: string) => (ABSOLUTE.test(path) ? join(stage.root, path) : resolve(stage.workdir, path));
    if (name === 'FROM') {
      const title = words[2] ?? 'last';
      const root = join(folder, title);
      mkdirSync(root, { recursive: true });
      stage = { root, workdir: root };
      places.set(title, root);
      env = {};
    } else if (name === 'WORKDIR') {
      stage.workdir = at(text);
      mkdirSync(stage.workdir, { recursive: true });
    } else if (name === 'ENV') {
      env = { ...env, ...Object.fromEntries(words.map((word) => word.split('=') as [string, string])) };
    } else if (name === 'COPY') copy(words, stage, places);
    else if (name === 'RUN') run(text, stage, packages);
    else if (name === 'ENTRYPOINT' || name === 'CMD') command = [...command, ...(JSON.parse(text) as string[])];
    else if (name === 'HEALTHCHECK') healthcheck = JSON.parse(text.slice(text.indexOf('CMD') + 3)) as string[];
  }
  const inPlace = (word: string) => (ABSOLUTE.test(word) ? join(stage.root, word) : word);
  return { root: stage.root, env, command: command.map(inPlace), healthcheck };
}

interface Stage {
  readonly root: string;
  readonly workdir: string;
}

/** As .dockerignore lets it: nothing that is not listed there reaches the builder. */
function copy(words: readonly string[], { workdir }: Stage, places: ReadonlyMap<string, string>): void {
  const from = /^--from=(\w+)$/.exec(words[0]!)?.[1];
  const [sources, to] = [words.slice(from === undefined ? 0 : 1, -1), words.at(-1)!];
  for (const source of sources) {
    const path = from === undefined ? join(ROOT, source) : join(places.get(from)!, source);
    const isFolderTo = to.endsWith('/');
    cpSync(path, isFolderTo ? join(workdir, to, source.split('/').at(-1)!) : join(workdir, to), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (one) => from !== undefined || !isIgnored(relative(ROOT, one)),
    });
  }
}

const isIgnored = (path: string): boolean => /(^|\/)(node_modules|dist)(\/|$)|\.test\.ts$/.test(path);

/** The compiler is a Go program: on one thread, and with memory that may grow further before it is collected, it takes less CPU. */
const LITTLE_CPU = { GOMAXPROCS: '1', GOGC: '400' };

/** The user of the image is whoever runs this; its packages may be those of this checkout. */
function run(text: string, { root, workdir }: Stage, packages: Packages): void {
  for (const part of text.split(' && ')) {
    if (part.startsWith('chown ')) continue;
    if (part.startsWith('npm ci') && packages === 'linked') {
      symlinkSync(join(ROOT, 'node_modules'), join(workdir, 'node_modules'));
      continue;
    }
    execFileSync('sh', ['-c', part.replaceAll(PLACES, `$1${root}/$2`)], {
      cwd: workdir,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`,
        npm_config_prefer_offline: 'true',
        ...LITTLE_CPU,
      },
    });
  }
}
