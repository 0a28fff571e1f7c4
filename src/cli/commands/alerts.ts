/** `sluice alerts`: surges and silences of the rules that are watched. */
import { Command } from 'commander';
import type { ListedAlert } from '../../../packages/client/src/index.ts';
import { connectServer, findRule } from '../connect.ts';
import { facts, printJson, table } from '../output.ts';

interface AlertsOptions {
  readonly rule?: string;
  readonly limit: string;
  readonly json?: true;
}

export function alertsCommand(): Command {
  return new Command('alerts')
    .description('show surges and silences of watched rules, newest first')
    .option('--rule <rule>', 'alerts of one rule, by id or name')
    .option('--limit <number>', 'how many', '50')
    .option('--json', 'print JSON, as List Alerts answers')
    .addHelpText('after', '\n  sluice rules alerts RULE --surge --silence   watches a rule')
    .action(async ({ json, limit, rule }: AlertsOptions) => {
      const { client } = connectServer();
      const of = rule === undefined ? {} : { rule_id: (await findRule(client, rule)).id };
      const answer = await client.alerts({ ...of, limit: Number(limit) });
      if (json) return printJson(answer);
      const titles = ['FROM', 'TO', 'KIND', 'PLATFORM', 'MATCHES/H', 'USUAL/H', 'RULE'];
      console.log(answer.alerts.length === 0 ? 'No alerts.' : table(titles, answer.alerts.map(rowOf)));
    });
}

const rowOf = (alert: ListedAlert): string[] => [
  alert.from,
  alert.to ?? 'lasts',
  alert.kind,
  alert.platform,
  String(alert.rate),
  String(alert.usual_rate),
  alert.rule_id,
];

interface Wanted {
  readonly surge?: boolean;
  readonly silence?: boolean;
  readonly json?: true;
}

/** `sluice rules alerts`: what a rule is watched for. */
export function ruleAlertsCommand(): Command {
  return new Command('alerts')
    .argument('<rule>', 'id or name')
    .description('say what a rule is watched for; without an option, show it')
    .option('--surge', 'watch for far more matches than usual')
    .option('--no-surge', 'do not')
    .option('--silence', 'watch for unusually long times without a match')
    .option('--no-silence', 'do not')
    .option('--json', 'print JSON')
    .action(async (idOrName: string, { surge, silence, json }: Wanted) => {
      const { client } = connectServer();
      const rule = await findRule(client, idOrName);
      const alerts = { ...(surge !== undefined && { surge }), ...(silence !== undefined && { silence }) };
      const isAsked = Object.keys(alerts).length === 0;
      const now = isAsked ? rule.alerts : (await client.rules.update({ rule_id: rule.id, alerts })).alerts;
      if (json) return printJson({ rule_id: rule.id, alerts: now });
      console.log(facts(Object.entries(now).map(([kind, isOn]) => [kind, isOn ? 'on' : 'off'])));
    });
}
