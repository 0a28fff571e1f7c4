/** `sluice tombstones`: carries what was erased to a restored backup. Works on the store itself. */
import { createReadStream, existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Command } from 'commander';
import { AdminError, openAdmin } from '../../app/admin.ts';
import { CliError, counted, printJson } from '../output.ts';

/** The first line of a file; each other line is one tombstone. */
interface Head {
  readonly sluice: 'tombstones';
  /** Whether some are of texts. */
  readonly texts?: boolean;
  readonly key: string;
}

interface Line {
  readonly digest: string;
  readonly account?: string;
  readonly until: string;
}

const AT_ONCE = 1_000;

export function tombstonesCommand(): Command {
  return new Command('tombstones')
    .description('carry what was erased to a restored backup')
    .addCommand(
      new Command('export')
        .argument('<file>', 'where they go; must not exist yet')
        .description('write what was erased, as digests without text, to a file')
        .option('--json', 'print JSON')
        .action(exportTo),
    )
    .addCommand(
      new Command('import')
        .argument('<file>', 'an export')
        .description('erase in this database what was erased before, and refuse it from now on')
        .option('--json', 'print JSON')
        .action(importFrom),
    );
}

async function exportTo(file: string, { json }: { json?: true }): Promise<void> {
  if (existsSync(file)) throw new CliError(`${file} is there already; name another file.`, 2);
  await using admin = await openAdmin(process.env, { mustExist: true });
  let written = 0;
  await using output = await open(file, 'wx', 0o600);
  for await (const { key, hasTexts, tombstones } of admin.tombstones()) {
    const head: Head = { sluice: 'tombstones', key, ...(hasTexts && { texts: true }) };
    if (written === 0) await output.write(`${JSON.stringify(head)}\n`);
    for (const { digest, accountId, until } of tombstones) {
      const line: Line = { digest, ...(accountId !== undefined && { account: accountId }), until: until.toISOString() };
      await output.write(`${JSON.stringify(line)}\n`);
    }
    written += tombstones.length;
    if (tombstones.length === 0) break;
  }
  await output.sync();
  if (json) printJson({ file, tombstones: written });
  else console.log(`${counted(written, 'erased post')} in ${file}.`);
}

async function importFrom(file: string, { json }: { json?: true }): Promise<void> {
  const slices = await readSlices(file);
  await using admin = await openAdmin(process.env, { mustExist: true });
  const erased = await admin.importTombstones(slices);
  const tombstones = slices.reduce((sum, slice) => sum + slice.tombstones.length, 0);
  if (json) printJson({ tombstones, erased });
  else console.log(`${counted(tombstones, 'erased post')} read; matches erased here: ${erased}.`);
}

async function readSlices(file: string) {
  const slices: (Head & { tombstones: { digest: string; accountId: string | undefined; until: Date }[] })[] = [];
  let head: Head | undefined;
  if (!existsSync(file)) throw new CliError(`There is no file ${file}.`, 2);
  for await (const text of createInterface({ input: createReadStream(file) })) {
    if (text === '') continue;
    const line = lineOf(file, text);
    if (head === undefined) {
      if (!('key' in line)) throw new CliError(`${file} is not an export of tombstones.`, 2);
      head = line;
      slices.push({ ...head, tombstones: [] });
      continue;
    }
    if (!('digest' in line)) throw new CliError(`${file} is not an export of tombstones.`, 2);
    if (slices.at(-1)!.tombstones.length === AT_ONCE) slices.push({ ...head, tombstones: [] });
    const { digest, account, until } = line;
    slices.at(-1)!.tombstones.push({ digest, accountId: account, until: new Date(until) });
  }
  return slices.map(({ key, texts, tombstones }) => ({ key, hasTexts: texts === true, tombstones }));
}

function lineOf(file: string, text: string): Head | Line {
  try {
    return JSON.parse(text) as Head | Line;
  } catch (error) {
    throw new AdminError(`${file} is not an export of tombstones: ${(error as Error).message}`);
  }
}
