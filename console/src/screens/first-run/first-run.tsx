import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { PageViewDto } from '../../api/schema.js';
import { useCrawlers } from '../../state/crawlers.js';
import { useResource } from '../../state/resource.js';
import { useHasRole } from '../../state/session.js';
import { EmptyState, ResourceView } from '../../ui/answers.js';
import { PageHead } from '../../ui/panel.js';
import { type LoadedConfiguration, loadConfiguration } from '../configuration/load.js';
import { CrawlForm } from './ask.js';
import { readSinks } from './configured-sinks.js';
import { addCrawler, type CrawlWish } from './crawl-draft.js';
import { CrawlStart } from './crawling.js';
import { FirstPagePreview } from './look.js';

type Step = 'ask' | 'look' | 'crawl';

const STEPS: readonly (readonly [Step, string])[] = [
  ['ask', 'Which site?'],
  ['look', 'Look before you crawl'],
  ['crawl', 'Crawl'],
];

/** The guide for setting up the first crawl and every further one. */
export function FirstRun(): JSX.Element {
  const [step, setStep] = useState<Step>('ask');
  const mayChange = useHasRole('admin');
  const configuration = useResource('configuration', loadConfiguration);
  return (
    <>
      <PageHead title="A new crawl">
        Three steps: name a site, see what would be crawled, start. Nothing is written before you start.
      </PageHead>
      <ol class="steps">
        {STEPS.map(([name, label]) => (
          <li key={name} aria-current={name === step ? 'step' : undefined}>
            {label}
          </li>
        ))}
      </ol>
      {mayChange ? (
        <ResourceView of={configuration}>
          {(loaded) => <Guide loaded={loaded} step={step} onStep={setStep} />}
        </ResourceView>
      ) : (
        <EmptyState>Setting up a crawl requires a key with the role admin.</EmptyState>
      )}
    </>
  );
}

interface GuideProps {
  readonly loaded: LoadedConfiguration;
  readonly step: Step;
  readonly onStep: (step: Step) => void;
}

interface Seen {
  readonly wish: CrawlWish;
  readonly page: PageViewDto;
}

function Guide({ loaded, step, onStep }: GuideProps): JSX.Element {
  const { value: crawlers = [], reload } = useCrawlers();
  const [seen, setSeen] = useState<Seen>();
  const showFirstPage = async (wish: CrawlWish): Promise<void> => {
    const query = { crawler: wish.name, url: wish.url.href };
    const page = await call('POST /api/v1/config/look', { query, body: addCrawler(loaded.xml, wish) });
    setSeen({ wish, page });
    onStep('look');
  };
  const startCrawl = async (wish: CrawlWish): Promise<void> => {
    // The configuration may have been changed since the guide was opened, so the crawler is added to the one now in
    // force.
    const { xml, etag } = await loadConfiguration();
    await call('PUT /api/v1/config', { body: addCrawler(xml, wish), ifMatch: etag });
    await call('POST /api/v1/crawlers/{crawler}/start', { path: { crawler: wish.name } });
    reload();
    onStep('crawl');
  };
  const sinks = readSinks(loaded.xml);
  if (seen && step === 'look') {
    const { wish, page } = seen;
    return (
      <FirstPagePreview
        wish={wish}
        page={page}
        onBack={() => onStep('ask')}
        onOther={(url) => showFirstPage({ ...wish, url })}
        onCrawl={() => startCrawl(wish)}
      />
    );
  }
  if (seen && step === 'crawl') {
    const { wish } = seen;
    const sink = wish.newSink ?? sinks.find(({ name }) => name === wish.sink);
    return <CrawlStart name={wish.name} searchPage={sink?.type === 'papi' ? URL.parse(sink.url)?.origin : undefined} />;
  }
  const taken = crawlers.map(({ name }) => name);
  return <CrawlForm xml={loaded.xml} wish={seen?.wish} sinks={sinks} taken={taken} onAsk={showFirstPage} />;
}
