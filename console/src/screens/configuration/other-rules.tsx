/** Crawl space, server records and conditions, each edited as a separate text with its errors shown while typing. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { RuleFileDto } from '../../api/schema.js';
import { useCrawler } from '../../state/crawlers.js';
import { useResource } from '../../state/resource.js';
import { useRoute } from '../../state/route.js';
import { useHasRole } from '../../state/session.js';
import { ResourceView } from '../../ui/answers.js';
import { NoCrawler } from '../../ui/no-crawler.js';
import { Panel } from '../../ui/panel.js';
import { type LoadedConfiguration, loadConfiguration } from './load.js';
import { listOtherPlaces, type Place } from './other-parts.js';
import { PartEditor, type PartText } from './part-editor.js';
import { isUnsaved } from './unsaved.js';

interface Texts extends LoadedConfiguration {
  readonly files: readonly RuleFileDto[];
}

async function loadTexts(signal: AbortSignal): Promise<Texts> {
  const [configuration, { items }] = await Promise.all([
    loadConfiguration(signal),
    call('GET /api/v1/config/files', { signal }),
  ]);
  return { ...configuration, files: items };
}

export function OtherRules(): JSX.Element {
  const crawler = useCrawler()?.name;
  const texts = useResource('other rules', loadTexts);
  if (!crawler) return <NoCrawler />;
  return (
    <ResourceView of={texts}>
      {(loaded) => (
        <div class="stack" key={`${crawler} ${loaded.etag}`}>
          {listOtherPlaces(loaded.xml, crawler, loaded.files).map((place) => (
            <PlaceEditor
              key={place.kind.element}
              crawler={crawler}
              place={place}
              loaded={loaded}
              onApplied={texts.reload}
            />
          ))}
        </div>
      )}
    </ResourceView>
  );
}

interface PlaceProps {
  readonly crawler: string;
  readonly place: Place;
  readonly loaded: LoadedConfiguration;
  readonly onApplied: () => void;
}

function PlaceEditor({ crawler, place: { kind, parts, fresh }, loaded, onApplied }: PlaceProps): JSX.Element {
  const { query } = useRoute();
  const formatTitle = ({ title }: PartText): string => `${crawler} ${title}`;
  const [adding, setAdding] = useState(fresh !== undefined && isUnsaved(formatTitle(fresh)));
  const mayChange = useHasRole('admin');
  const findLine = (file: string | undefined): number | undefined =>
    file !== undefined && file === query.get('file') ? Number(query.get('line')) || undefined : undefined;
  if (fresh && !adding) {
    return (
      <Panel
        title={kind.title}
        aside={
          mayChange && (
            <button type="button" class="button" onClick={() => setAdding(true)}>
              Add {kind.title.toLowerCase()}…
            </button>
          )
        }
      >
        <p>
          None yet. <span class="muted">{kind.purpose}</span>
        </p>
      </Panel>
    );
  }
  return (
    <>
      {(fresh ? [fresh] : parts).map((part) => (
        <PartEditor
          key={part.title}
          name={formatTitle(part)}
          part={part}
          loaded={loaded}
          line={findLine(part.file)}
          onApplied={onApplied}
        />
      ))}
    </>
  );
}
