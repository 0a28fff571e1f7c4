/** `sluice demo`: starts and stops the feed of invented events on a running server. */
import { Argument, Command } from 'commander';
import { connectServer } from '../connect.ts';
import { printJson } from '../output.ts';

const ACTIONS = ['start', 'stop', 'status'] as const;

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
