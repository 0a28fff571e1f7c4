/** `npm run campaign -- <name>`: the long versions of tests, for nights. Each ends with status 1 when it fails. */
import { parseArgs } from 'node:util';

/** Sizes, each of those campaigns that know it. */
const SIZES = [
  'kills',
  'pairs',
  'readers',
  'records',
  'cuts',
  'drifts',
  'outages',
  'hours',
  'rules',
  'requests',
  'seed',
  'seeds',
] as const;

type CampaignOptions = { -readonly [Size in (typeof SIZES)[number]]?: number };

/** Loaded when asked for: one campaign does not pay for another. */
const CAMPAIGNS: Readonly<Record<string, () => Promise<(options: CampaignOptions) => Promise<boolean>>>> = {
  cluster: async () => (await import('./cluster.ts')).clusterCampaign,
  crash: async () => (await import('./crash.ts')).crashCampaign,
  hostile: async () => (await import('./hostile.ts')).hostileCampaign,
  match: async () => (await import('./match.ts')).matchCampaign,
  simulate: async () => (await import('./simulate.ts')).simulateCampaign,
  sse: async () => (await import('./sse.ts')).sseCampaign,
  translate: async () => (await import('./translate.ts')).translateCampaign,
  upstream: async () => (await import('./upstream.ts')).upstreamCampaign,
  webhooks: async () => (await import('./webhooks.ts')).webhooksCampaign,
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: Object.fromEntries(SIZES.map((name) => [name, { type: 'string' as const }])),
});
const load = CAMPAIGNS[positionals[0] ?? ''];
if (load === undefined) {
  console.error(`Name a campaign: ${Object.keys(CAMPAIGNS).join(', ')}`);
  process.exit(2);
}
const campaign = await load();
const options: CampaignOptions = {};
for (const name of SIZES) if (values[name] !== undefined) options[name] = Number(values[name]);
const passed = await campaign(options);
console.log(passed ? 'passed' : 'FAILED');
process.exitCode = passed ? 0 : 1;
