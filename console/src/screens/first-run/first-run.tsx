import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import { useCrawlers } from '../../state/crawlers.js';
import { useResource } from '../../state/resource.js';
import { useMay } from '../../state/session.js';
import { Empty, Loaded } from '../../ui/answers.js';
import { PageHead } from '../../ui/panel.js';
import { type LoadedConfiguration, loadConfiguration } from '../configuration/load.js';
import { Ask } from './ask.js';
import { sinksOf } from './configured-sinks.js';
import { addCrawler, type CrawlWish } from './crawl-draft.js';
import { Crawling } from './crawling.js';
import { Look } from './look.js';
import { useTrial } from './trial.js';

type Step = 'ask' | 'look' | 'crawl';

const STEPS: readonly (readonly [Step, string])[] = [
  ['ask', 'Which site?'],
  ['look', 'Look before you crawl'],
  ['crawl', 'Crawl'],
];

/** The guide for a configuration without crawlers, and for every new crawl after that. */
export function FirstRun(): JSX.Element {
  const [step, setStep] = useState<Step>('ask');
  const mayChange = useMay('admin');
  const configuration = useResource('configuration', loadConfiguration);
  return (
    <>
      <PageHead title="A new crawl">Three steps: name a site, see what would be crawled, start.</PageHead>
      <ol class="steps">
        {STEPS.map(([name, label]) => (
          <li key={name} aria-current={name === step ? 'step' : undefined}>
            {label}
          </li>
        ))}
      </ol>
      {mayChange ? (
        <Loaded of={configuration}>{(loaded) => <Guide before={loaded} step={step} onStep={setStep} />}</Loaded>
      ) : (
        <Empty>Setting up a crawl wants a key with the role admin.</Empty>
      )}
    </>
  );
}

interface GuideProps {
  /** The configuration as it was when the guide began: what going back restores. */
  readonly before: LoadedConfiguration;
  readonly step: Step;
  readonly onStep: (step: Step) => void;
}

function Guide({ before, step, onStep }: GuideProps): JSX.Element {
  const { value: crawlers = [], reload } = useCrawlers();
  const [wish, setWish] = useState<CrawlWish>();
  const trial = useTrial(before, reload);
  const look = async (wanted: CrawlWish): Promise<void> => {
    await trial.begin(addCrawler(before.xml, wanted, false));
    setWish(wanted);
    onStep('look');
  };
  const back = async (): Promise<void> => {
    await trial.takeBack();
    onStep('ask');
  };
  const crawl = async (): Promise<void> => {
    if (!wish) return;
    await trial.keep(addCrawler(before.xml, wish, true));
    await call('POST /api/v1/crawlers/{crawler}/start', { path: { crawler: wish.name } });
    onStep('crawl');
  };
  const sinks = sinksOf(before.xml);
  if (wish && step === 'look') return <Look wish={wish} onBack={back} onCrawl={crawl} />;
  if (wish && step === 'crawl') {
    const sink = wish.newSink ?? sinks.find(({ name }) => name === wish.sink);
    return <Crawling name={wish.name} searchPage={sink?.type === 'papi' ? URL.parse(sink.url)?.origin : undefined} />;
  }
  return <Ask xml={before.xml} wish={wish} sinks={sinks} taken={crawlers.map(({ name }) => name)} onAsk={look} />;
}
