/**
 * Counts what a person does: a step is one click, one field that is typed into, or one key that does something. Looking,
 * waiting and moving cost nothing. The steps are taken by the keyboard alone: what the tabulator does not reach is not there.
 */
import type { Locator, Page } from 'playwright-core';

interface Steps {
  readonly taken: number;
  /** A button, a link, a box or an item of a menu. */
  click(target: Locator): Promise<void>;
  type(field: Locator, text: string): Promise<void>;
  /** A shortcut of the page. */
  press(key: string): Promise<void>;
}

export function stepsOn(page: Page): Steps {
  let taken = 0;
  return {
    get taken() {
      return taken;
    },
    async click(target) {
      taken++;
      await reach(page, target);
      await page.keyboard.press((await isBox(target)) ? 'Space' : 'Enter');
    },
    async type(field, text) {
      taken++;
      await reach(page, field);
      await page.keyboard.type(text);
    },
    async press(key) {
      taken++;
      await page.keyboard.press(key);
    },
  };
}

const MOST_MOVES = 200;

/** From where the focus is, as a person does who has no mouse. */
async function reach(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  const key = (await target.getAttribute('role')) === 'menuitem' ? 'ArrowDown' : 'Tab';
  for (let at = 0; at < MOST_MOVES; at++) {
    if (await target.evaluate((element) => element.matches(':focus'))) return;
    await page.keyboard.press(key);
  }
  throw new Error(`The keyboard does not reach ${String(target)}.`);
}

const isBox = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => element.matches('[type=checkbox], [type=radio], [role=radio]'));
