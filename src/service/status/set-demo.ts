/** Set Demo: starts or stops the demo feed. */
import { z } from 'zod';
import { PLATFORMS } from '../../domain/platform.ts';
import { DEMO_SOURCE } from '../../domain/source.ts';
import { operation } from './room.ts';

const state = z.object({
  playing: z.boolean(),
  platforms: z.array(z.enum(PLATFORMS)).describe('Where its invented events arrive. Empty while it does not play.'),
});

export const setDemo = operation({
  name: 'setDemo',
  summary: 'Start or stop the demo feed',
  description:
    'The demo feed invents posts and pages, so that a first rule finds something. Every match of them has `demo: true`. Without `playing` the answer says whether it plays, and nothing changes.',
  access: 'operator',
  input: z.strictObject({ playing: z.boolean().optional() }),
  output: state,
  example: { input: { playing: false }, output: { playing: false, platforms: [] } },
  async run({ demo, ingest, log }, _caller, { playing }) {
    if (playing !== undefined) {
      await demo.choose(playing ? 'start' : 'stop', (cursor) => ingest.add(PLATFORMS[0], [], DEMO_SOURCE, cursor));
      log.info({ playing }, 'the demo feed was started or stopped');
    }
    return { playing: demo.isPlaying, platforms: [...demo.platforms] };
  },
});
