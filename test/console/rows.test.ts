/** Rows with a face: who says it, the passage, the rule, why it is here, and what can be done with it at once. */
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { problemsEverywhere } from './axe.ts';
import { openConsole, type Visit } from './browser.ts';
import { consoleSuite } from './suite.ts';

async function addRule({ server }: Visit, name: string, x: string, intent = ''): Promise<string> {
  const { body } = await server.call('POST', '/api.CreateRule', { name, intent, platforms: ['x'], overrides: { x } });
  return body['rule_id'] as string;
}

const users = [
  { id: '7', username: 'mara_quill', name: 'Mara Quill' },
  { id: '8', username: 'ada', name: 'Ada' },
];
const post = (id: number, text: string, author = '7') => ({
  data: { id: String(id), text, author_id: author, lang: 'en' },
  includes: { users: users.filter((user) => user.id === author) },
});

/** One by one: what arrives together is in no order. */
async function pushEach({ server }: Visit, posts: readonly object[]): Promise<void> {
  for (const one of posts) await server.push('x', [one]);
}

async function rateFirst({ server }: Visit, rating: string): Promise<void> {
  const { body } = await server.call('POST', '/matches', { limit: 1 });
  const [match] = body['matches'] as { id: string }[];
  await server.call('POST', '/api.RateMatch', { match_id: match!.id, rating });
}

/** How much is free below what a row says: the padding, and nothing else. */
const roomsIn = (page: Page): Promise<number[]> =>
  page.locator('article').evaluateAll((articles) =>
    articles.map((article) => {
      const row = article.firstElementChild!;
      return Math.round(row.getBoundingClientRect().bottom - row.firstElementChild!.getBoundingClientRect().bottom);
    }),
  );

/** Whether the row ends above the foot of the button, or its words reach under it. */
const isCovered = (button: Locator): Promise<boolean> =>
  button.evaluate((element) => {
    const box = element.getBoundingClientRect();
    const row = element.closest('.group')!;
    const texts = [...row.querySelectorAll('p, span')].filter(({ firstChild }) => firstChild?.nodeType === 3);
    const isOver = (text: Element) => {
      const { left, right, top, bottom } = text.getBoundingClientRect();
      return left < box.right && right > box.left && top < box.bottom && bottom > box.top;
    };
    return row.getBoundingClientRect().bottom < box.bottom || texts.some(isOver);
  });

/** Whether a text is longer than the lines that show it. */
const isCut = (text: Locator): Promise<boolean> =>
  text.evaluate((element) => element.scrollHeight > element.clientHeight || element.scrollWidth > element.clientWidth);

/** Whether all of it is inside the lines of its paragraph. */
const isInLines = (mark: Locator): Promise<boolean> =>
  mark.evaluate((element) => {
    const lines = element.closest('p')!.getBoundingClientRect();
    return element.getBoundingClientRect().bottom <= lines.bottom + 1;
  });

consoleSuite('rows', () => {
  it('say who wrote it, which passage matched, by which rule, and how relevant it is in words', async () => {
    await using visit = await openConsole();
    const { page, go } = visit;
    await addRule(visit, 'Volcano news', 'volcano', 'A volcano that erupts.');
    await pushEach(visit, [post(1, 'The volcano is erupting.'), post(2, 'A volcano, says nobody we know.', '7026')]);
    await go('/matches?view=single');
    const unnamed = page.locator('article').nth(0);
    const named = page.locator('article').nth(1);
    await unnamed.getByText('Author 7026', { exact: true }).waitFor();
    expect(await page.getByText('Unknown source').count()).toBe(0);
    await named.getByText('Mara Quill').waitFor();
    expect(await named.locator('span[aria-hidden]').first().innerText()).toBe('M');
    expect(await named.locator('mark').allTextContents()).toEqual(['volcano']);
    await named.getByText('Volcano news', { exact: true }).waitFor();
    // Before the first rating each row would say the same: a first guess.
    expect(await page.getByText('a first guess').count()).toBe(0);
    await rateFirst(visit, 'relevant');
    await page.reload();
    const reason = unnamed.getByText(/^\d+ %: [a-z\d ,]+$/);
    await reason.waitFor();
    expect(await isCut(reason)).toBe(false);

    // The title of the pane says the same.
    await unnamed.getByRole('button', { name: 'Open the match of Volcano news' }).click();
    await page.getByRole('region', { name: 'Match', exact: true }).getByText('Author 7026').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('rate and exclude without opening the match', async () => {
    await using visit = await openConsole();
    const { page, server, go } = visit;
    await addRule(visit, 'Volcano news', 'volcano');
    await pushEach(visit, [post(1, 'The volcano is erupting.')]);
    await go('/matches?view=single');
    const row = page.locator('article').first();
    await row.hover();
    await row.getByRole('button', { name: 'Bad match of Volcano news' }).click();
    await row.getByRole('img', { name: 'Rated as not relevant.' }).waitFor();
    await expect
      .poll(async () => (await server.call('POST', '/matches', {})).body)
      .toMatchObject({ matches: [{ rating: 'irrelevant' }] });
    expect(page.url()).not.toContain('/matches/match_');
    await row.getByRole('button', { name: 'Keep what is like this out of Volcano news' }).click();
    await page.getByRole('dialog').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('have their actions at the foot under a finger, which cannot hover', async () => {
    await using visit = await openConsole({ isMobile: true, viewport: { width: 380, height: 760 } });
    const { page, server, go } = visit;
    const ruleId = await addRule(visit, 'Volcano news', 'volcano', 'A volcano that erupts.');
    const text = 'All of the town on the eastern side of the harbour is told to leave tonight, for the volcano erupts';
    await pushEach(visit, [post(9, 'Some other volcano far away smokes a little')]);
    await rateFirst(visit, 'relevant');
    await pushEach(visit, [post(1, text), post(2, `${text}!`, '8')]);
    const ratings = async () =>
      ((await server.call('POST', '/matches', {})).body['matches'] as { rating: string | null }[]).map(
        (one) => one.rating,
      );
    for (const [path, verdict, rated] of [
      ['/matches?view=single', 'Bad', ['irrelevant', null, 'relevant']],
      // A story names how many tell it, too.
      ['/matches', 'Good', ['irrelevant', 'relevant', 'relevant']],
      [`/rules/${ruleId}`, 'Good', ['relevant', 'relevant', 'relevant']],
    ] as const) {
      await go(path);
      // The page before is shown until this one is there.
      await page
        .getByRole('heading', { name: path.startsWith('/rules') ? 'Volcano news' : 'Matches', level: 1 })
        .waitFor();
      await page
        .getByRole(path === '/matches' ? 'list' : 'feed', { name: path === '/matches' ? 'Stories' : 'Matches' })
        .waitFor();
      const button = page.getByRole('button', { name: `${verdict} match of Volcano news` }).first();
      await button.tap();
      await expect.poll(ratings, { message: path }).toEqual(rated);
      const { height, width } = (await button.boundingBox())!;
      expect(Math.min(height, width)).toBeGreaterThanOrEqual(32);
      expect(await isCovered(button), path).toBe(false);
      // The reason is whole, and the word that matched is in view, however long the text before it is.
      expect(await isCut(page.getByText(/^\d+ %/).first()), path).toBe(false);
      expect(await isInLines(page.locator('main mark').first()), path).toBe(true);
    }
    await page.getByRole('button', { name: 'Keep what is like this out of Volcano news' }).first().tap();
    await page.getByRole('dialog').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('name their rule in full on a phone; an open match has the whole screen, a rule its actions beside its name', async () => {
    const viewport = { width: 390, height: 760 };
    await using visit = await openConsole({ isMobile: true, viewport });
    const { page, go } = visit;
    const name = 'Volcanoes in Iceland, and whoever lives near';
    const ruleId = await addRule(visit, name, 'volcano');
    await pushEach(visit, [post(1, 'A volcano.')]);
    await go('/matches?view=single');
    const chip = page.locator('article').getByText(name, { exact: true });
    await chip.waitFor();
    expect(await isCut(chip)).toBe(false);
    await page.getByRole('button', { name: `Open the match of ${name}` }).tap();
    const dialog = page.getByRole('dialog', { name });
    // It rises.
    await expect.poll(() => dialog.boundingBox()).toEqual({ x: 0, y: 0, ...viewport });
    await dialog.getByRole('button', { name: 'Close' }).tap();
    await go(`/rules/${ruleId}`);
    const [title, pause] = [
      page.getByRole('heading', { name, level: 1 }),
      page.getByRole('button', { name: 'Pause rule' }),
    ];
    await title.waitFor();
    expect((await pause.boundingBox())!.y).toBe((await title.boundingBox())!.y);
    // Of several the first is named.
    await addRule(visit, 'Smoke', 'volcano');
    await pushEach(visit, [post(2, 'Another volcano.')]);
    await go('/matches?view=single');
    const chips = page.locator('article').first().getByTitle(name).locator('span:visible');
    await expect.poll(() => chips.allTextContents()).toEqual([expect.stringMatching(/^(Smoke|Volcanoes in.*)$/), '+1']);
    expect(visit.complaints).toEqual([]);
  });

  it('take as much room as the reader chooses, and the browser keeps the choice', async () => {
    await using visit = await openConsole();
    const { page, go } = visit;
    await addRule(visit, 'Volcano news', 'volcano');
    await pushEach(visit, [post(1, `The volcano ${'and the valley below it '.repeat(10)}`), post(2, 'A volcano.')]);
    await go('/matches?view=single');
    const heights = () =>
      page.locator('article > div').evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
    await page.locator('article').nth(1).waitFor();
    const [short, long] = await heights();
    expect(long! - short!).toBe(20);
    await page.getByRole('button', { name: 'Dense' }).click();
    await expect.poll(heights).toEqual([53, 53]);
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Quiet' }).click();
    await expect.poll(heights).toEqual([33, 33]);
    await page.reload();
    await page.locator('article').nth(1).waitFor();
    await expect.poll(heights).toEqual([33, 33]);
    await page.getByRole('button', { name: 'Comfortable' }).click();
    await expect.poll(heights).toEqual([short, long]);
  });

  it('have no empty line, also beside an open match', async () => {
    await using visit = await openConsole();
    const { page, go } = visit;
    await addRule(visit, 'Volcano news', 'volcano');
    await addRule(visit, 'Iceland', 'iceland');
    const text = 'A volcano erupts in Iceland and will go on for weeks';
    const late =
      'All of the town on the eastern side of the harbour is told to leave tonight, says the mayor, for a second';
    await pushEach(visit, [post(1, text), post(2, `${late} time this year: the volcano`)]);
    await go('/matches?view=single');
    await page.getByRole('button', { name: /^Open the match of .*Iceland/ }).click();
    await page.getByRole('region', { name: 'Match', exact: true }).waitFor();
    const row = page.locator('article', { hasText: text });
    const room = () =>
      row.evaluate((article) => {
        const box = article.firstElementChild!.getBoundingClientRect();
        const last = article.firstElementChild!.firstElementChild!.getBoundingClientRect();
        return Math.round(box.bottom - last.bottom);
      });
    // The padding below and the border, and nothing else.
    await expect.poll(room).toBeLessThanOrEqual(12);
    expect(await room()).toBeGreaterThanOrEqual(10);
    // However late in a text the word stands that matched, a narrow row shows it.
    expect(await isInLines(page.locator('article', { hasText: 'this year' }).locator('mark'))).toBe(true);
  });

  it('have room for the reason of their relevance, and no more, at any width', async () => {
    await using visit = await openConsole({ viewport: { width: 380, height: 1200 } });
    const { page, go } = visit;
    await addRule(visit, 'Volcano news', 'volcano', 'A volcano that erupts.');
    await pushEach(visit, [post(1, 'A volcano erupts above the harbour.')]);
    await rateFirst(visit, 'relevant');
    const texts = [
      'is it awake?',
      'smokes, 12 of 40 say',
      'WAKES UP NOW https://example.com/a',
      '#lava @ada look',
      'erupts above',
    ];
    await pushEach(
      visit,
      texts.map((text, at) => post(at + 2, `The volcano ${text}`)),
    );
    await go('/matches?view=single');
    await page
      .getByText(/^\d+ %: /)
      .first()
      .waitFor();
    for (let width = 330; width <= 420; width += 3) {
      await page.setViewportSize({ width, height: 1200 });
      await expect
        .poll(async () => (await roomsIn(page)).filter((room) => room < 10 || room > 12), { message: `${width} px` })
        .toEqual([]);
    }
  });

  it('tell a story under one title, with all of its rules counted, and open it in place', async () => {
    await using visit = await openConsole();
    const { page, go } = visit;
    for (const word of ['volcano', 'erupting', 'eastport', 'tonight']) await addRule(visit, `About ${word}`, word);
    const title = 'The volcano is erupting above Eastport tonight.';
    await pushEach(visit, [post(1, title), post(2, `${title.slice(0, -1)}!`, '8')]);
    await go('/matches');
    const story = page.getByRole('list', { name: 'Stories' }).getByRole('listitem').first();
    await story.getByText('8 matches', { exact: true }).waitFor();
    await story.getByText('+2', { exact: true }).filter({ visible: true }).waitFor();
    expect(await story.locator('p').first().innerText()).toBe(title);
    expect(await story.locator('mark').count()).toBeGreaterThan(0);
    // Beside single matches the filter has the same title; beside stories it would only repeat them.
    const filters = page.getByRole('region', { name: 'Filters' });
    await filters.getByRole('button', { name: 'About volcano' }).waitFor();
    expect(await filters.getByRole('button', { name: title }).count()).toBe(0);
    await page.getByRole('button', { name: 'Single matches' }).click();
    await filters.getByRole('button', { name: title }).waitFor();
    await page.getByRole('button', { name: 'Stories', exact: true }).click();

    await story.getByRole('button', { name: '8 matches', exact: true }).click();
    const followers = page.getByRole('list', { name: `Matches of the story: ${title}` });
    await followers.getByText('@ada').waitFor();
    expect(await followers.getByRole('button').count()).toBe(1);
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });

    // By the keyboard alone: fold it, unfold it, and go into it.
    await page.keyboard.press('j');
    await page.keyboard.press('s');
    await followers.waitFor({ state: 'detached' });
    await page.keyboard.press('s');
    await followers.getByText('@ada').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('tabpanel').getByText('tonight!').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('open a long story at its ten newest, with a link to all', async () => {
    await using visit = await openConsole();
    const { page, go } = visit;
    await addRule(visit, 'Volcano news', 'volcano');
    const text = 'The volcano is erupting above Eastport tonight, and all of the harbour is told to leave';
    await pushEach(
      visit,
      Array.from({ length: 14 }, (_, at) => post(at + 1, `${text}${'!'.repeat(at)}`, at % 2 === 0 ? '7' : '8')),
    );
    await go('/matches');
    await page.getByRole('button', { name: '14 matches', exact: true }).click();
    const followers = page.getByRole('list', { name: /^Matches of the story/ });
    await followers.getByRole('button').first().waitFor();
    expect(await followers.getByRole('button').count()).toBe(10);
    await followers.getByRole('link', { name: 'All matches of this story' }).click();
    // Rows out of view are not drawn.
    await expect.poll(() => page.locator('article').count()).toBeGreaterThan(10);
  });

  it('are read and rated by the hundred with four keys', async () => {
    await using visit = await openConsole();
    const { page, server, go } = visit;
    const ruleId = await addRule(visit, 'Volcano news', 'volcano');
    await server.push(
      'x',
      Array.from({ length: 100 }, (_, at) => post(at, `volcano number ${at}, seen from the harbour of town ${at}`)),
    );
    await go(`/matches?view=single&rule=${ruleId}`);
    await page.locator('article').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const focused = () => page.evaluate<string | undefined>('document.activeElement?.dataset.match');
    const read = new Set<string>();
    for (let at = 0; at < 100; at++) {
      let id: string | undefined;
      await expect
        .poll(
          async () => {
            id = await focused();
            return id !== undefined && !read.has(id);
          },
          { message: `match ${at} has the focus` },
        )
        .toBe(true);
      read.add(id!);
      await page.keyboard.press(at % 2 === 0 ? 'y' : 'n');
      if (at < 99) await page.keyboard.press('j');
    }
    expect(read.size).toBe(100);
    const rated = async (rating: string) =>
      ((await server.call('POST', '/matches', { rating, limit: 200 })).body['matches'] as unknown[]).length;
    await expect.poll(() => rated('relevant')).toBe(50);
    await expect.poll(() => rated('irrelevant')).toBe(50);
    expect(visit.complaints).toEqual([]);
  });
});
