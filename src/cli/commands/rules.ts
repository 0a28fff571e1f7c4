/** `sluice rules list`: the rules of the account that SLUICE_API_KEY belongs to. */
import { Command } from 'commander';
import { plain, printJson, table } from '../output.ts';
import { connectToServer } from '../server.ts';

interface ListedRule {
  readonly id: string;
  readonly name: string;
  readonly paused: boolean;
  readonly platforms: Readonly<Record<string, { translated_value: string; status: string; match_count: number }>>;
}

export function rulesCommand(): Command {
  return new Command('rules').description('see the rules of an account').addCommand(
    new Command('list')
      .description('list all rules, oldest first')
      .option('--json', 'print JSON, as List Rules answers')
      .action(async ({ json }: { json?: true }) => {
        const answer = (await (await connectToServer().get('/api.ListRules')).json()) as { rules: ListedRule[] };
        if (json) return printJson(answer);
        const rows = answer.rules.flatMap((rule) =>
          Object.entries(rule.platforms).map(([platform, held]) => [
            rule.id,
            plain(rule.name, 30),
            platform,
            rule.paused ? 'paused' : held.status,
            String(held.match_count),
            plain(held.translated_value),
          ]),
        );
        console.log(table(['ID', 'NAME', 'PLATFORM', 'STATUS', 'MATCHES', 'RULE'], rows));
      }),
  );
}
