/** How many turns of the event loop begin while a work goes on: what others may do meanwhile. */
import { setImmediate } from 'node:timers/promises';

export async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let [turns, isOver] = [0, false];
  const count = async (): Promise<void> => {
    for (; !isOver; turns++) await setImmediate();
  };
  const counting = count();
  await work;
  isOver = true;
  await counting;
  return turns;
}
