/** `sluice erase`: erases posts, for the account of the key or, by the operator, for all. */
import { readFileSync } from 'node:fs';
import { Argument, Command } from 'commander';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { connectServer } from '../connect.ts';
import { CliError, counted, printJson } from '../output.ts';

interface EraseOptions {
  readonly file?: string;
  readonly allAccounts?: true;
  readonly sameText?: true;
  readonly json?: true;
}

export function eraseCommand(): Command {
  return new Command('erase')
    .addArgument(new Argument('<platform>', 'where the posts are from').choices(PLATFORMS))
    .argument('[post-ids...]', 'the ids of posts or pages, as matches have them in platform_post_id')
    .description('erase posts, and refuse them when they come again')
    .option('--file <file>', 'a file with one id a line; - is standard input')
    .option('--all-accounts', "for all accounts; needs a full key of the operator's account")
    .option('--same-text', 'with --all-accounts: also every post with the same text')
    .option('--json', 'print JSON')
    .action(async (platform: Platform, named: string[], options: EraseOptions) => {
      const ids = [...named, ...idsIn(options.file)];
      if (ids.length === 0) throw new CliError('Name at least one post, or a file with --file.', 2);
      const { client } = connectServer();
      let deleted = 0;
      for (const platform_post_id of ids) {
        const all = {
          ...(options.allAccounts && { all_accounts: true }),
          ...(options.sameText && { same_text: true }),
        };
        deleted += (await client.matches.delete({ platform, platform_post_id, ...all })).deleted;
      }
      if (options.json) printJson({ posts: ids.length, deleted });
      else console.log(`${counted(ids.length, 'post')} erased, matches deleted: ${deleted}.`);
    });
}

function idsIn(file: string | undefined): string[] {
  if (file === undefined) return [];
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  } catch (error) {
    throw new CliError(`cannot read ${file}: ${(error as Error).message}`, 2);
  }
}
