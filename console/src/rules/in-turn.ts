/** One act on several rules, one after the other: what failed is named, and does not stop the others. Pure. */
export interface Outcome {
  readonly done: readonly string[];
  readonly failed: readonly { readonly name: string; readonly message: string }[];
}

export interface Named {
  readonly id: string;
  readonly name: string;
}

export async function inTurn<Thing extends Named>(
  things: readonly Thing[],
  act: (thing: Thing) => Promise<unknown>,
  onProgress: (count: number) => void = () => {},
): Promise<Outcome> {
  const done: string[] = [];
  const failed: { name: string; message: string }[] = [];
  for (const thing of things) {
    try {
      await act(thing);
      done.push(thing.id);
    } catch (error) {
      failed.push({ name: thing.name, message: (error as Error).message });
    }
    onProgress(done.length + failed.length);
  }
  return { done, failed };
}

const MOST_NAMED = 3;

/** "2 rules paused.", or with what failed and why: "1 rule paused. 1 failed: “Storms” (There is no slot left.)". */
export function outcomeWords({ done, failed }: Outcome, participle: string): string {
  const rules = (count: number) => `${count} ${count === 1 ? 'rule' : 'rules'}`;
  const good = `${rules(done.length)} ${participle}.`;
  if (failed.length === 0) return good;
  const named = failed.slice(0, MOST_NAMED).map(({ name, message }) => `“${name}” (${message})`);
  const more = failed.length > MOST_NAMED ? `, and ${failed.length - MOST_NAMED} more` : '';
  return `${good} ${failed.length} failed: ${named.join(', ')}${more}`;
}
