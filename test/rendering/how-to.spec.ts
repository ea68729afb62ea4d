import { expect, it, onTestFinished } from 'vitest';
import { CHROMIUM } from '../console/chromium.js';
import { runHowTo } from '../docs/how-to.js';
import { FakeSite } from '../support/fake-site.js';
import { describeUnless, NO_CHROMIUM } from '../support/left-out.js';
import { publishShop, textOf } from './script-made-site.js';

const HEADING = 'A single-page application';

describeUnless(CHROMIUM ? undefined : NO_CHROMIUM, 'the how-to for pages that need rendering', () => {
  it(HEADING, async () => {
    const site = await FakeSite.start();
    onTestFinished(() => site.close());
    publishShop(site);
    const addresses = { 'https://shop.example.com': site.origin };
    const { crawl } = await runHowTo(HEADING, addresses, (xml) =>
      xml.replace('</CrawlConfig>', `<cw:Renderer sandbox="false" path="${CHROMIUM}"/></CrawlConfig>`),
    );
    const texts = new Map(crawl.orders().map(({ uri, document }) => [new URL(uri).pathname, document?.text]));
    expect(texts.get('/product/1')).toContain(textOf(1));
  }, 120_000);
});
