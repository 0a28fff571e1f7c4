/**
 * `npm run campaign -- image`: every step of the Dockerfile in empty folders, `npm ci` among them, and the result started;
 * then the package as `npm install --global` installs it, started by the command that the systemd unit names.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildImage } from '../deploy/dockerfile.ts';
import { ROOT } from '../deploy/settings.ts';
import { startImage } from '../deploy/start-image.ts';

export async function imageCampaign(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-image-'));
  try {
    const { rules, console: page, code } = await startImage(buildImage(folder, 'installed'));
    console.log(`image: ${JSON.stringify(rules)}, ${page}, ended with ${code}`);
    const isImageGood = code === 0 && page === 'text/html; charset=utf-8';
    const isGlobalGood = await globalInstall(join(folder, 'global'));
    return isImageGood && isGlobalGood;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function globalInstall(prefix: string): Promise<boolean> {
  const npm = (...words: string[]) => execFileSync('npm', words, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  npm('pack', '--pack-destination', tmpdir());
  const packed = readdirSync(tmpdir()).find((name) => /^sluice-.*\.tgz$/.test(name))!;
  npm('install', '--global', '--prefix', prefix, '--prefer-offline', join(tmpdir(), packed));
  rmSync(join(tmpdir(), packed));
  // With the machine's own Node, whatever it is: that is what a unit finds.
  const child = spawn(join(prefix, 'bin', 'sluice'), ['serve'], {
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', SLUICE_PORT: '0', SLUICE_DATA_DIR: join(prefix, 'data') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('sluice: listening on')) continue;
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number | null];
    console.log(`global install: ${line}, ended with ${code}`);
    return code === 0;
  }
  return false;
}
