/**
 * `npm run campaign -- first-use`: a new user's first minutes, with this machine's own Node and empty caches: from a clone, from
 * a tarball and by the image's own commands, up to the first match on the screen. It fails when a way takes more than three
 * minutes, or when a step fails. Packing the tarball is not counted: a user is given it.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildImage } from '../deploy/dockerfile.ts';
import { ROOT } from '../deploy/settings.ts';
import { openShell, type PageShell } from '../docs/shell.ts';
import { freePort } from '../stages/free-port.ts';
import { problemsOf, type TimedStep, tableOf } from './first-use-table.ts';

const RULE = `rules create --name Outages --intent "Tell me when a service is down." --x 'outage OR "is down"' --firehose 'outage OR title:down'`;
const LISTENING = /listening on http/;
const MATCH = /\d\d:\d\d.*\n/;

interface Stage {
  readonly folder: string;
  readonly shell: PageShell;
  readonly timed: <T>(step: string, run: () => T | Promise<T>) => Promise<T>;
}

export async function firstUseCampaign(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-first-use-'));
  const steps: TimedStep[] = [];
  try {
    console.log(`load of this machine: ${loadavg()[0]!.toFixed(1)} on ${availableParallelism()} cores`);
    for (const [way, use] of Object.entries({ clone: fromClone, tarball: fromTarball, image: fromImage })) {
      console.log(`${way} …`);
      await tried(way, use, join(folder, way), steps);
    }
    console.log(tableOf(steps));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const problems = problemsOf(steps);
  for (const problem of problems) console.log(problem);
  return problems.length === 0;
}

/** Everything that npm keeps and that is fetched comes anew; only the address of the registry is this machine's. */
const freshCaches = (folder: string) => ({
  npm_config_cache: join(folder, 'npm-cache'),
  XDG_CACHE_HOME: join(folder, 'cache'),
});

async function tried(way: string, use: (stage: Stage) => Promise<void>, folder: string, steps: TimedStep[]) {
  mkdirSync(folder);
  const port = String(await freePort());
  const { HOME = folder } = process.env;
  const path = way === 'image' ? `${dirname(process.execPath)}:` : '';
  await using shell = openShell(folder, {
    PATH: `${path}/usr/local/bin:/usr/bin:/bin`,
    HOME,
    ...freshCaches(folder),
    SLUICE_PORT: port,
    SLUICE_URL: `http://127.0.0.1:${port}`,
  });
  const timed: Stage['timed'] = async (step, run) => {
    const begun = performance.now();
    const seconds = () => (performance.now() - begun) / 1000;
    try {
      const result = await run();
      steps.push({ way, step, seconds: seconds() });
      console.log(`  ${step}: ${seconds().toFixed(1)} s`);
      return result;
    } catch (error) {
      steps.push({ way, step, seconds: seconds(), problem: (error as Error).message });
      throw error;
    }
  };
  await use({ folder, shell, timed }).catch(() => {});
}

async function done(shell: PageShell, text: string): Promise<void> {
  const { status, output } = await shell.run(text);
  if (status !== 0) throw new Error(`\`${text}\` ended with ${status}:\n${output}`);
}

/** Every way ends alike: a key from what the server printed, a rule, and the first match that comes. */
async function untilMatch({ shell, timed }: Stage, sluice: string, printed: string): Promise<void> {
  await done(shell, `export SLUICE_API_KEY=${/\bsk_\w+/.exec(printed)?.[0] ?? ''}`);
  await timed('create a rule', () => done(shell, `${sluice} ${RULE}`));
  await timed('see the first match', () => shell.start(`${sluice} tail`, MATCH));
}

async function fromClone(stage: Stage): Promise<void> {
  const { shell, timed } = stage;
  await timed('git clone', () => done(shell, `git clone --quiet ${ROOT} clone`));
  const printed = await timed('npm start', () => shell.start('cd clone && npm start', LISTENING));
  for (const line of printed.split('\n').filter((one) => /^sluice: step .* done in/.test(one)))
    console.log(`  ${line}`);
  await untilMatch(stage, 'cd clone && node bin/sluice.mjs', printed);
}

async function fromTarball(stage: Stage): Promise<void> {
  const { folder, shell, timed } = stage;
  execFileSync('npm', ['pack', '--pack-destination', folder], { cwd: ROOT, stdio: 'ignore' });
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz'))!);
  const sluice = `npx --yes --package ${tarball} -- sluice`;
  const printed = await timed('npx … sluice serve', () => shell.start(`${sluice} serve`, LISTENING));
  await untilMatch(stage, sluice, printed);
}

async function fromImage(stage: Stage): Promise<void> {
  const { folder, shell, timed } = stage;
  Object.assign(process.env, freshCaches(folder));
  const image = await timed('build the image', () => buildImage(join(folder, 'image'), 'installed'));
  const [node, program] = image.command;
  const settings = Object.entries({ ...image.env, SLUICE_DATA_DIR: join(image.root, 'data') })
    .filter(([name]) => name !== 'SLUICE_PORT')
    .map(([name, value]) => `export ${name}=${value}`);
  await done(shell, settings.join('\n'));
  const printed = await timed('start it', () => shell.start(image.command.join(' '), LISTENING));
  await untilMatch(stage, `${node} ${program}`, printed);
}
