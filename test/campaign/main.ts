/** `npm run campaign -- <name>`: the long versions of tests, for nights. Each ends with status 1 when it fails. */
import { parseArgs } from 'node:util';

/** Sizes, each of those campaigns that know it. */
const SIZES = [
  'kills',
  'costly-in',
  'pairs',
  'readers',
  'records',
  'cuts',
  'drifts',
  'faults',
  'failures',
  'outages',
  'hours',
  'minutes',
  'rules',
  'requests',
  'seed',
  'seeds',
  'times',
  'workers',
] as const;

type CampaignOptions = { -readonly [Size in (typeof SIZES)[number]]?: number };

/** Loaded when asked for: one campaign does not pay for another. */
const CAMPAIGNS: Readonly<Record<string, () => Promise<(options: CampaignOptions) => Promise<boolean>>>> = {
  burst: async () => (await import('./burst.ts')).burstCampaign,
  certificates: async () => (await import('./certificates.ts')).certificatesCampaign,
  cluster: async () => (await import('./cluster.ts')).clusterCampaign,
  console: async () => (await import('./console.ts')).consoleCampaign,
  crash: async () => (await import('./crash.ts')).crashCampaign,
  drift: async () => (await import('./drift.ts')).driftCampaign,
  events: async () => (await import('./events.ts')).eventsCampaign,
  hostile: async () => (await import('./hostile.ts')).hostileCampaign,
  image: async () => (await import('./image.ts')).imageCampaign,
  injection: async () => (await import('./injection.ts')).injectionCampaign,
  'first-use': async () => (await import('./first-use.ts')).firstUseCampaign,
  freeze: async () => (await import('./freeze.ts')).freezeCampaign,
  judge: async () => (await import('./judge.ts')).judgeCampaign,
  jetstream: async () => (await import('./jetstream.ts')).jetstreamCampaign,
  match: async () => (await import('./match.ts')).matchCampaign,
  neighbours: async () => (await import('./neighbours.ts')).neighboursCampaign,
  power: async () => (await import('./power.ts')).powerCampaign,
  rehearse: async () => (await import('./rehearse.ts')).rehearseCampaign,
  rolling: async () => (await import('./rolling.ts')).rollingCampaign,
  simulate: async () => (await import('./simulate.ts')).simulateCampaign,
  sources: async () => (await import('./sources.ts')).sourcesCampaign,
  sse: async () => (await import('./sse.ts')).sseCampaign,
  stall: async () => (await import('./stall.ts')).stallCampaign,
  translate: async () => (await import('./translate.ts')).translateCampaign,
  upgrade: async () => (await import('./upgrade.ts')).upgradeCampaign,
  upstream: async () => (await import('./upstream.ts')).upstreamCampaign,
  wakes: async () => (await import('./wakes.ts')).wakesCampaign,
  'wakes-kit': async () => (await import('./wakes-kit.ts')).wakesKitCampaign,
  webhooks: async () => (await import('./webhooks.ts')).webhooksCampaign,
  witness: async () => (await import('./witness.ts')).witnessCampaign,
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
for (const name of SIZES) if (values[name] !== undefined) Object.assign(options, sizeOf(name, values[name]));
const wrong = Object.entries(options).find(([, size]) => !Number.isFinite(size));
if (wrong !== undefined) {
  console.error(`--${wrong[0]} is a number; --seeds may be a range such as 1..200.`);
  process.exit(2);
}
const passed = await campaign(options);
console.log(passed ? 'passed' : 'FAILED');
process.exitCode = passed ? 0 : 1;

function sizeOf(name: (typeof SIZES)[number], text: string): CampaignOptions {
  const [, first, last] = (name === 'seeds' && /^(\d+)\.\.(\d+)$/.exec(text)) || [];
  if (first === undefined) return { [name]: Number(text) };
  return { seed: Number(first), seeds: Number(last) - Number(first) + 1 };
}
