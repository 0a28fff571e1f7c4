/** `sluice status`: how the account stands and what the server does. `sluice demo`: starts and stops its invented events. */
import { Argument, Command } from 'commander';
import type { Answer } from '../../../packages/client/src/index.ts';
import { connectServer } from '../connect.ts';
import { facts, plain, printJson, table } from '../output.ts';

export function statusCommand(): Command {
  return new Command('status')
    .description('show how the server and the account are doing')
    .option('--json', 'print JSON, as Status answers')
    .addHelpText('after', '\nExit status: 0 when the server is ready, 1 when it is not.')
    .action(async ({ json }: { json?: true }) => {
      const { client, url } = connectServer();
      const status = await client.status();
      if (json) printJson(status);
      else console.log(describe(url, status));
      process.exitCode = status.ready ? 0 : 1;
    });
}

function describe(url: string, { version, ready, account, platforms, instance }: Answer<'status'>): string {
  const rows = Object.entries(platforms).map(([name, one]) => {
    const traffic = instance?.platforms[name as keyof typeof platforms];
    return [
      name,
      one.shape,
      one.reason === undefined ? one.state : plain(`${one.state}: ${one.reason}`),
      one.rule_limit === null ? String(one.rules) : `${one.rules} of ${one.rule_limit}`,
      String(one.slow_rules.length),
      String(one.gaps.length),
      one.coverage.complete ? 'complete' : plain(one.coverage.reasons.join(' ')),
      ...(traffic === undefined ? [] : [String(traffic.events_per_minute), String(traffic.matches_per_minute)]),
    ];
  });
  const heading = ['PLATFORM', 'SHAPE', 'STATE', 'RULES', 'SLOW RULES', 'GAPS', 'COVERAGE'];
  return [
    facts([
      ['server', `${url}, version ${version}, ${ready ? 'ready' : 'not ready'}`],
      ['account', `${plain(account.name)} (${account.plan})`],
      ...(instance === undefined ? [] : [['up since', instance.started_at] as const]),
      ...(instance?.judge === undefined ? [] : [['judge', judgeLine(instance.judge)] as const]),
    ]),
    '',
    table(instance === undefined ? heading : [...heading, 'EVENTS/MIN', 'MATCHES/MIN'], rows),
  ].join('\n');
}

type JudgeStatus = NonNullable<NonNullable<Answer<'status'>['instance']>['judge']>;

function judgeLine({ model, state, limits, currency, last_error: error }: JudgeStatus): string {
  const left = limits.map(({ what, per, limit, left: rest }) =>
    what === 'calls' ? `${rest} of ${limit} calls a ${per} left` : `${rest} of ${limit} ${currency} a ${per} left`,
  );
  const trouble = state === 'paused' || state === 'stopped' ? error?.message : undefined;
  return plain(
    [`${model}, ${state ?? 'by another process'}`, ...left, ...(trouble === undefined ? [] : [trouble])].join('; '),
    500,
  );
}

const ACTIONS = ['start', 'stop', 'status'] as const;

/** `sluice demo`: starts and stops the feed of invented events on a running server. */
export function demoCommand(): Command {
  return new Command('demo')
    .addArgument(new Argument('[action]', 'what to do').choices(ACTIONS).default('status'))
    .description('start or stop the feed of invented events')
    .option('--json', 'print JSON, as Set Demo answers')
    .addHelpText('after', "\nIt needs a full key of the operator's account. Every match of the demo feed says `demo`.")
    .action(async (action: (typeof ACTIONS)[number], { json }: { json?: true }) => {
      const { client } = connectServer();
      const state = await client.demo(action === 'status' ? {} : { playing: action === 'start' });
      if (json) printJson(state);
      else
        console.log(
          state.playing
            ? `The demo feed plays on ${state.platforms.join(' and ')}. Its events are invented.`
            : 'The demo feed does not play.',
        );
    });
}
