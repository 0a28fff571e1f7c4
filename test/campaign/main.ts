/** `npm run campaign -- <name>`: the long versions of tests, for nights. Each ends with status 1 when it fails. */
import { parseArgs } from 'node:util';

interface CampaignOptions {
  kills?: number;
  pairs?: number;
  readers?: number;
  seed?: number;
}

/** Loaded when asked for: one campaign does not pay for another. */
const CAMPAIGNS: Readonly<Record<string, () => Promise<(options: CampaignOptions) => Promise<boolean>>>> = {
  cluster: async () => (await import('./cluster.ts')).clusterCampaign,
  crash: async () => (await import('./crash.ts')).crashCampaign,
  match: async () => (await import('./match.ts')).matchCampaign,
  sse: async () => (await import('./sse.ts')).sseCampaign,
  webhooks: async () => (await import('./webhooks.ts')).webhooksCampaign,
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: 'string' },
    pairs: { type: 'string' },
    readers: { type: 'string' },
    seed: { type: 'string' },
  },
});
const load = CAMPAIGNS[positionals[0] ?? ''];
if (load === undefined) {
  console.error(`Name a campaign: ${Object.keys(CAMPAIGNS).join(', ')}`);
  process.exit(2);
}
const campaign = await load();
const passed = await campaign({
  ...(values.kills !== undefined && { kills: Number(values.kills) }),
  ...(values.pairs !== undefined && { pairs: Number(values.pairs) }),
  ...(values.readers !== undefined && { readers: Number(values.readers) }),
  ...(values.seed !== undefined && { seed: Number(values.seed) }),
});
console.log(passed ? 'passed' : 'FAILED');
process.exitCode = passed ? 0 : 1;
