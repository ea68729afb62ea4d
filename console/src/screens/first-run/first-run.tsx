import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { PageViewDto } from '../../api/schema.js';
import { useCrawlers } from '../../state/crawlers.js';
import { useResource } from '../../state/resource.js';
import { useHasRole } from '../../state/session.js';
import { EmptyState, ResourceView } from '../../ui/answers.js';
import { PageHead } from '../../ui/panel.js';
import { type LoadedForms, loadConfiguration, loadForms } from '../configuration/load.js';
import { CrawlForm } from './ask.js';
import { readSinks } from './configured-sinks.js';
import { addCrawler, type CrawlSettings } from './crawl-draft.js';
import { CrawlStart } from './crawling.js';
import { FirstPagePreview } from './look.js';

type Step = 'ask' | 'look' | 'crawl';

const STEPS: readonly (readonly [Step, string])[] = [
  ['ask', 'Which site?'],
  ['look', 'Look before you crawl'],
  ['crawl', 'Crawl'],
];

/** The guide for setting up a crawl, whether it is the first one or not. */
export function FirstRun(): JSX.Element {
  const [step, setStep] = useState<Step>('ask');
  const mayChange = useHasRole('admin');
  const configuration = useResource('configuration', loadForms);
  return (
    <>
      <PageHead title="A new crawl">
        Three steps: name a site, see what would be crawled, start. Nothing is saved before you start, except a password
        for a new sink.
      </PageHead>
      <ol class="steps">
        {STEPS.map(([name, label]) => (
          <li key={name} aria-current={name === step ? 'step' : undefined}>
            {label}
          </li>
        ))}
      </ol>
      {mayChange ? (
        <ResourceView resource={configuration}>
          {(loadedConfiguration) => <Guide configuration={loadedConfiguration} step={step} onStep={setStep} />}
        </ResourceView>
      ) : (
        <EmptyState>Setting up a crawl requires a key with the role admin.</EmptyState>
      )}
    </>
  );
}

interface GuideProps {
  readonly configuration: LoadedForms;
  readonly step: Step;
  readonly onStep: (step: Step) => void;
}

interface PreviewedCrawl {
  readonly settings: CrawlSettings;
  readonly page: PageViewDto;
}

function Guide({ configuration, step, onStep }: GuideProps): JSX.Element {
  const { value: crawlers = [], reload } = useCrawlers();
  const [previewedCrawl, setPreviewedCrawl] = useState<PreviewedCrawl>();
  const showFirstPage = async (settings: CrawlSettings): Promise<void> => {
    const query = { crawler: settings.name, url: settings.url.href };
    const page = await call('POST /api/v1/config/look', { query, body: addCrawler(configuration.xml, settings) });
    setPreviewedCrawl({ settings, page });
    onStep('look');
  };
  const startCrawl = async (settings: CrawlSettings): Promise<void> => {
    // The configuration may have changed since the guide was opened, so the crawler is added to the current one.
    const { xml, etag } = await loadConfiguration();
    await call('PUT /api/v1/config', { body: addCrawler(xml, settings), ifMatch: etag });
    await call('POST /api/v1/crawlers/{crawler}/start', { path: { crawler: settings.name } });
    reload();
    onStep('crawl');
  };
  const sinks = readSinks(configuration.xml);
  if (previewedCrawl && step === 'look') {
    const { settings, page } = previewedCrawl;
    return (
      <FirstPagePreview
        settings={settings}
        page={page}
        onBack={() => onStep('ask')}
        onPreviewOther={(url) => showFirstPage({ ...settings, url })}
        onCrawl={() => startCrawl(settings)}
      />
    );
  }
  if (previewedCrawl && step === 'crawl') {
    const { settings } = previewedCrawl;
    const sink = settings.newSink ?? sinks.find(({ name }) => name === settings.sink);
    return (
      <CrawlStart name={settings.name} searchPage={sink?.type === 'papi' ? URL.parse(sink.url)?.origin : undefined} />
    );
  }
  const takenNames = crawlers.map(({ name }) => name);
  return (
    <CrawlForm
      xml={configuration.xml}
      sinkForm={configuration.elements.find(({ name }) => name === 'Sink')!}
      settings={previewedCrawl?.settings}
      sinks={sinks}
      takenNames={takenNames}
      onSubmit={showFirstPage}
    />
  );
}
