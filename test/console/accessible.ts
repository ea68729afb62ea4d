/** What keeps people out of a screen, a dialog or an opened panel: findings of axe-core, and what the keyboard cannot reach. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Dialog, Locator, Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const USUAL = { width: 1280, height: 860 };
const WIDTHS = [400, 768, 1440];
/** Lesser findings are matters of taste. */
const GRAVE = new Set(['serious', 'critical']);
/** More than any screen of the tests has. */
const MAX_STOPS = 600;

/** What is too wide for the window is noticed with the next frame, and can be focused from the one after it on. */
const AFTER_LAYOUT =
  'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))';

/** Serious findings of axe-core and content that is wider than the window, on narrow and wide screens, light and dark. */
export async function findProblems(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const problems: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ ...USUAL, width });
    await page.evaluate(AFTER_LAYOUT);
    problems.push(...(await runAxe(page, `${width} px`)));
    const excess = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    if (excess !== 0) problems.push(`${width} px: ${excess} px of content are outside the window`);
  }
  await page.emulateMedia({ colorScheme: 'dark' });
  problems.push(...(await runAxe(page, 'dark', "{ runOnly: ['color-contrast'] }")));
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(USUAL);
  return problems;
}

async function runAxe(page: Page, setting: string, options = '{}'): Promise<string[]> {
  const { violations } = (await page.evaluate(`axe.run(${options})`)) as AxeResults;
  return violations
    .filter(({ impact }) => GRAVE.has(impact ?? ''))
    .map(({ id, nodes }) => `${setting}, ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

/** Opens every panel, also those inside others, and the lists of columns. */
export async function openPanels(page: Page): Promise<void> {
  const closed = page.locator('main details:not([open])');
  while ((await closed.count()) > 0) {
    await closed.evaluateAll((all) => {
      for (const one of all) one.setAttribute('open', '');
    });
    await page.getByText('Loading…').first().waitFor({ state: 'hidden' });
  }
}

/** Where Tab stops next. The editor shows its focus a moment later than other elements. */
const STOP = `(async () => {
  const stop = document.activeElement;
  if (stop === document.body) return { isBetween: true };
  const last = stops.at(-1);
  // A field for times has several stops, on which the browser itself shows the focus.
  if (last === stop && stop.type === 'datetime-local') return { isBetween: true };
  if (stops[0] === stop) return { isEnd: true };
  const lines = [stop];
  for (let inner = stop.shadowRoot?.activeElement; inner; inner = inner.shadowRoot?.activeElement) lines.push(inner);
  const isShown = () => lines.some((one) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(one.closest('.cm-editor') ?? one);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
  });
  for (let frames = 0; frames < 60 && !isShown(); frames++) await new Promise(requestAnimationFrame);
  const isBack = last && last !== stop && (last.compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_FOLLOWING) === 0;
  stops.push(stop);
  return { html: stop.outerHTML.slice(0, 120), isShown: isShown(), isBack, isOutside: !ROOT.contains(stop) };
})()`;
const MISSED = `[...ROOT.querySelectorAll('a[href], button, input:not([type=radio]), select, textarea, summary')]
  .filter((one) => !one.disabled && one.tabIndex >= 0 && one.checkVisibility() && !stops.includes(one))
  .map((one) => one.outerHTML.slice(0, 120))`;

interface Stop {
  /** Behind the last element and before the first one, or on another part of the same field. */
  readonly isBetween?: true;
  readonly isEnd?: true;
  readonly html: string;
  readonly isShown: boolean;
  readonly isBack: boolean;
  readonly isOutside: boolean;
}

/** Presses Tab until the round is complete: each control is reached, in order, and shows that it has the focus. */
export async function walkByTab(page: Page, root = 'document.body'): Promise<string[]> {
  const stops: Stop[] = [];
  await page.evaluate('globalThis.stops = []');
  for (let presses = 0; presses < MAX_STOPS; presses++) {
    await page.keyboard.press('Tab');
    const stop = (await page.evaluate(STOP.replaceAll('ROOT', root))) as Stop;
    if (stop.isEnd) break;
    if (!stop.isBetween) stops.push(stop);
  }
  const missed = (await page.evaluate(MISSED.replaceAll('ROOT', root))) as string[];
  const list = (title: string, isWrong: (stop: Stop) => boolean): string[] =>
    stops.filter(isWrong).map(({ html }) => `${title}: ${html}`);
  const back = list('out of order', ({ isBack }) => isBack);
  return [
    ...list('outside', ({ isOutside }) => isOutside),
    ...list('focus is not visible', ({ isShown }) => !isShown),
    // The round begins where the focus was, so it goes back to the first element once.
    ...(back.length > 1 ? back : []),
    ...missed.map((html) => `not reached by Tab: ${html}`),
  ];
}

/**
 * Opens a dialog by keyboard, looks for problems in it, and closes it with Escape: the focus stays inside until then, and returns
 * to what opened it. @param fill what it needs to show all that it has
 */
export async function tryDialog(
  page: Page,
  opener: Locator,
  fill: (dialog: Locator) => Promise<unknown> = async () => {},
): Promise<string[]> {
  const problems: string[] = [];
  await opener.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  const hasFocus = (element: { contains(one: unknown): boolean; ownerDocument: { activeElement: unknown } }): boolean =>
    element.contains(element.ownerDocument.activeElement);
  if (!(await dialog.evaluate(hasFocus))) problems.push('the focus stays outside of the dialog');
  await page.getByText('Loading…').first().waitFor({ state: 'hidden' });
  await fill(dialog);
  problems.push(...(await findProblems(page)), ...(await walkByTab(page, 'document.querySelector("dialog")')));
  const discard = (question: Dialog): void => void question.accept();
  page.on('dialog', discard);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  page.off('dialog', discard);
  if (!(await opener.evaluate((element) => element === element.ownerDocument.activeElement)))
    problems.push('the focus does not return to what opened the dialog');
  return problems;
}
