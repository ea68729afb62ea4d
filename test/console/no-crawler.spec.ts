import { it } from 'vitest';
import { describeInBrowser } from './browser.js';

const SCREENS = [
  '/coverage',
  '/sources',
  '/urls',
  '/url?url=http://a.example/',
  '/try',
  '/hosts',
  '/host?host=a.example',
  '/errors',
];
const VIEWS = ['/configuration', '/configuration?view=other', '/configuration?view=resolved'];

describeInBrowser('a server without a crawler', { configuration: '' }, (stage) => {
  it('is stated on every screen that needs one, with a link to the first crawl', async () => {
    const { page, open } = stage();
    for (const path of [...SCREENS, ...VIEWS]) {
      await open(path);
      await page.getByText('The configuration has no crawler yet.').waitFor();
    }
    await page.getByRole('link', { name: 'Set up the first crawl.' }).click();
    await page.getByLabel('Address of the site').waitFor();
  });
});
