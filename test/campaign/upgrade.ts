/**
 * `npm run campaign -- upgrade --times 10`: seven processes on PostgreSQL and NATS behind a balancer are upgraded to the next
 * version under load, one after another, and taken back in the next roll, so many times. While a roll is under way, both
 * versions work on the same tables. No request may be refused, and no match may be missing or there twice.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nextProgram } from '../upgrade/programs.ts';
import { rollUnderLoad } from './rolling.ts';

export async function upgradeCampaign({ times = 10 }: { times?: number }): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-upgrade-'));
  try {
    const next = await nextProgram(folder);
    const programOf = (time: number) => (time % 2 === 1 ? next : undefined);
    return await rollUnderLoad({ times, programOf, nodes: { api: 2, matcher: 2, connector: 2, delivery: 1 } });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
