/** Counts what a person does: a step is one click, or one field that is typed into. Looking and waiting cost nothing. */
import type { Locator, Page } from 'playwright-core';

interface Steps {
  readonly taken: number;
  click(target: Locator): Promise<void>;
  /** Into the field as a person would: the focus comes with it. */
  type(field: Locator, text: string): Promise<void>;
}

export function stepsOn(page: Page): Steps {
  let taken = 0;
  return {
    get taken() {
      return taken;
    },
    async click(target) {
      taken++;
      await target.click();
    },
    async type(field, text) {
      taken++;
      await field.focus();
      await page.keyboard.type(text);
    },
  };
}
