/** Every form of injection, then random ones inside one another, through every way an agent reads. */
import { randomFrom } from '../../bench/random.ts';
import { allForms, randomForm } from '../injection/forms.ts';
import { injectJudge } from '../injection/judged.ts';
import { inject } from '../injection/surfaces.ts';

/** Texts of one service: its recent events and its matches stay few. */
const AT_ONCE = 200;
const REPORTED = 20;

export async function injectionCampaign({ records = 2_000, seed = 1 }: { records?: number; seed?: number }) {
  const random = randomFrom(seed);
  const forms = [...allForms(), ...Array.from({ length: records }, () => randomForm(random))];
  console.log(`${forms.length} forms, ${records} of them random; --seed ${seed}`);
  let [matches, answers, judged, leaks] = [0, 0, 0, 0];
  for (let from = 0; from < forms.length; from += AT_ONCE) {
    const injected = await inject(forms.slice(from, from + AT_ONCE));
    matches += injected.matches;
    answers += injected.answers;
    leaks += injected.leaks.length;
    const obeyed = await injectJudge(forms.slice(from, from + AT_ONCE));
    judged += obeyed.judged;
    leaks += obeyed.leaks.length;
    for (const leak of [...injected.leaks, ...obeyed.leaks].slice(0, REPORTED)) console.log(leak);
  }
  console.log(`${matches} matches, ${answers} answers read, ${judged} judged by a model that obeys, ${leaks} leaks`);
  return leaks === 0;
}
