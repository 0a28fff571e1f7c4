/** An alert is told at a bar that a rule's own past sets: the same past gives the same bars from one release to the next. */
import { describe, expect, it } from 'vitest';
import { randomFrom } from '../../bench/random.ts';
import { addHour, type Baseline, HOURS_OF_WEEK, newBaseline, sum } from './baseline.ts';
import { lookForSurge, ordinaryIn, outlookOf, quietOf } from './surge.ts';

const NONE: readonly number[] = Array.from({ length: 60 }, () => 0);

/** Busy by day and on weekdays, with chance, a surge, a silence, a day of few matches, and hours that nobody heard. */
function minutesOf(hour: number, random: () => number): number[] | undefined {
  if (hour % 337 > 330) return undefined;
  const rate = (hour % 24 < 14 ? 24 : 6) * (hour % HOURS_OF_WEEK < 120 ? 3 : 1);
  const share = hour === 700 ? 9 : hour > 900 && hour < 909 ? 0 : hour > 1_000 && hour < 1_030 ? 0.3 : 1;
  return NONE.map(() => {
    let count = 0;
    while (random() < (share * rate) / (60 + share * rate)) count++;
    return count;
  });
}

/** What was looked for in each hour. */
interface Seen {
  readonly hour: number;
  readonly outlook: ReturnType<typeof outlookOf>;
  readonly minutes: readonly number[] | undefined;
  readonly before: readonly number[];
}

function* pastOf(hours: number, from: number): Generator<Seen> {
  const random = randomFrom(20_261_119);
  let baseline: Baseline = newBaseline(from);
  let before = NONE;
  for (let hour = from; hour < from + hours; hour++) {
    const outlook = outlookOf(baseline);
    const minutes = minutesOf(hour, random);
    yield { hour, outlook, minutes, before };
    const heard = minutes !== undefined;
    baseline = addHour(baseline, { minutes: minutes ?? NONE, before, heard, ordinary: ordinaryIn(outlook) });
    before = minutes ?? NONE;
  }
}

/** With four digits, on one line. */
const told = (value: unknown): string =>
  JSON.stringify(value, (_, each) => (typeof each === 'number' ? Math.round(each * 1e4) / 1e4 : each)).replaceAll(
    '"',
    '',
  );

const OUTLOOKS: readonly (readonly [number, string])[] = [
  [
    100,
    '{hour:100,usual:[82.1856,63.2304,79.4225],most:[82.1856,82.1856,79.4225],least:[63.2304,63.2304],quiet:{since:5997,usual:3.1108}}',
  ],
  [
    400,
    '{hour:400,usual:[12.4716,18.234,17.6408],most:[18.5428,18.234,18.3519],least:[12.4805,17.6534],bars:{ten:2.3743,sixty:1.7573},silence:54.4637,quiet:{since:23992,usual:1.9231},missing:{rate:44.8333,usualRate:47.82,bar:0.4055,share:0.1589}}',
  ],
  [
    701,
    '{hour:701,usual:[145.1595,88.7057,101.204],most:[145.1595,145.1595,101.204],least:[91.2953,82.7448],bars:{ten:2.0751,sixty:1.2906},silence:34.9015,quiet:{since:42060,usual:0},missing:{rate:64.818,usualRate:48.2526,bar:0.4055,share:-0.7273}}',
  ],
  [
    905,
    '{hour:905,usual:[14.5432,16.5543,16.6071],most:[16.5543,16.6071,16.6071],least:[16.1458,18.0899],bars:{ten:2.337,sixty:1.4607},silence:37.5221,quiet:{since:54057,usual:65.191}}',
  ],
  [
    910,
    '{hour:910,usual:[15.5094,12.2297,18.2547],most:[15.5094,18.2547,63.2911],least:[14.382,14.382],bars:{ten:2.337,sixty:1.4607},silence:37.5221,quiet:{since:54595,usual:1.1892}}',
  ],
  [
    1025,
    '{hour:1025,usual:[8.0181,8.4138,9.0163],most:[8.4138,9.0163,9.0163],least:[8.5086,7.9437],bars:{ten:2.1978,sixty:1.4046},silence:51.4462,quiet:{since:61498,usual:0.2813}}',
  ],
  [
    1300,
    '{hour:1300,usual:[25.609,25.5544,28.4677],most:[25.609,28.4677,28.4677],least:[22.8734,22.8734],bars:{ten:2.0214,sixty:1.3815},silence:45.0918,quiet:{since:77998,usual:0.6906},missing:{rate:43.125,usualRate:38.0695,bar:0.4137,share:-0.3011}}',
  ],
  [
    1500,
    '{hour:1500,usual:[23.2065,25.5684,23.6023],most:[25.5684,25.5684,25.5684],least:[22.5686,7.3804],bars:{ten:1.9506,sixty:1.3365},silence:44.5087,quiet:{since:90000,usual:0},missing:{rate:15.4583,usualRate:16.3663,bar:0.4119,share:0.1382}}',
  ],
];

const SURGES = [
  '[700,6,1,{isSurge:true,isCalm:false,from:41997,rate:708,usualRate:78.9101}]',
  '[701,0,22,{isSurge:true,isCalm:false,from:42001,rate:620,usualRate:145.1595}]',
];

const SILENCES = [
  '[896,[{since:53760,until:53798,usualRate:59.2454},{since:53820,until:53858,usualRate:59.2454}]]',
  '[897,[{since:53820,until:53857,usualRate:60.8467},{since:53879,until:53912,usualRate:68.222}]]',
  '[898,[{since:53879,until:53912,usualRate:68.222},{since:53940,until:53977,usualRate:60.8467}]]',
  '[899,[{since:53940,until:53976,usualRate:62.5368},{since:54000,until:54036,usualRate:62.5368}]]',
  '[900,[{since:54000,until:54037,usualRate:60.8467},null]]',
  '[901,[{since:54057,until:54178,usualRate:18.606},null]]',
  '[902,[{since:54057,until:54178,usualRate:18.606},null]]',
  '[903,[{since:54057,until:54180,usualRate:18.3035},null]]',
  '[904,[{since:54057,until:54240,usualRate:12.3023},null]]',
  '[905,[{since:54057,until:54300,usualRate:9.2647},null]]',
  '[906,[{since:54057,until:54360,usualRate:7.4301},null]]',
  '[907,[{since:54057,until:54420,usualRate:6.202},null]]',
  '[908,[{since:54057,until:54480,usualRate:5.3223},null]]',
  '[909,[{since:54057,until:54540,usualRate:4.6611},null]]',
  '[910,[null,null]]',
  '[911,[{since:54656,until:54777,usualRate:18.606},null]]',
];

describe('a rule over nine weeks', () => {
  const past = [...pastOf(9 * HOURS_OF_WEEK, 5)];

  it.each(OUTLOOKS)('has this outlook in hour %i', (hour, outlook) => {
    expect(told(past[hour - 5]!.outlook)).toBe(outlook);
  });

  it('has these surges', () => {
    const surges = past.flatMap(({ hour, outlook, minutes = NONE, before }) => {
      const both = [...before, ...minutes];
      const looks = NONE.map((_, minute) => {
        const [ten, sixty] = [sum(both.slice(minute + 51, minute + 61)), sum(both.slice(minute + 1, minute + 61))];
        return lookForSurge(outlook, { minute: hour * 60 + minute, ten, sixty });
      });
      const first = looks.findIndex((look) => look?.isSurge);
      const calm = looks.filter((look) => look?.isCalm).length;
      return first === -1 ? [] : [told([hour, first, calm, looks[first]])];
    });
    expect(surges).toEqual(SURGES);
  });

  it('has these silences', () => {
    const silences = past.flatMap(({ hour, outlook, minutes = NONE }) => {
      const last = minutes.findLastIndex((count) => count > 0);
      const quiet = [quietOf(outlook, undefined), last === -1 ? undefined : quietOf(outlook, hour * 60 + last)];
      return hour > 895 && hour < 912 ? [told([hour, quiet])] : [];
    });
    expect(silences).toEqual(SILENCES);
  });
});
